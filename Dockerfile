# syntax=docker/dockerfile:1

# The function's image, for those who have Docker. `make package` makes the same
# image without it (tools/runtime-image), and a test compares the two.
#
#   docker build --tag runtime .
#   crossplane xpkg build --package-root=package --embed-runtime-image=runtime --package-file=function.xpkg

ARG GO_VERSION=1.26

# The build runs on the builder's own platform, and Go compiles for the target.
FROM --platform=${BUILDPLATFORM} golang:${GO_VERSION} AS build
WORKDIR /src
ENV CGO_ENABLED=0

# Dependencies are downloaded first, so that they stay cached while code changes.
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download

COPY . .
ARG TARGETOS
ARG TARGETARCH
# The version under which the image will be pushed.
ARG VERSION=v0.1.0
RUN --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X github.com/function-jupyter/function-jupyter/fn.release=${VERSION}" -o /function .

# Nothing but the binary: it needs no shell, no libc and no CA certificates,
# because it calls nobody.
FROM scratch
COPY --from=build /function /function
WORKDIR /
EXPOSE 9443
USER 65532:65532
ENTRYPOINT ["/function"]

LABEL org.opencontainers.image.title="function-jupyter" \
      org.opencontainers.image.description="A Crossplane composition function that computes Jupyter notebooks." \
      org.opencontainers.image.source="https://github.com/function-jupyter/function-jupyter" \
      org.opencontainers.image.licenses="Apache-2.0"
