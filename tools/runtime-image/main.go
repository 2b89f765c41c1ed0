// Command runtime-image wraps the function's binary in a container image, as
// `docker build` with the Dockerfile would, but without Docker. It writes the
// image as a docker-save tarball, which is what `crossplane xpkg build` embeds.
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("runtime-image: ")

	binary := flag.String("binary", "", "static Linux binary to wrap; its ELF header says for which architecture")
	output := flag.String("output", "", "tarball to write")
	version := flag.String("version", "", "version to put on the image's label")
	revision := flag.String("revision", "", "source revision to put on the image's label")
	flag.Parse()

	if err := run(*binary, *output, *version, *revision); err != nil {
		log.Fatal(err)
	}
}

// run wraps the binary and writes the tarball.
func run(binary, output, version, revision string) error {
	img, err := Image(binary, version, revision)
	if err != nil {
		return err
	}
	// A docker-save tarball needs a tag. Nobody reads this one: the package that
	// embeds the image is pushed under its own name.
	tag, err := name.NewTag("function-jupyter:runtime")
	if err != nil {
		return fmt.Errorf("cannot name the image: %w", err)
	}
	if err := tarball.WriteToFile(output, tag, img); err != nil {
		return fmt.Errorf("cannot write %s: %w", output, err)
	}
	return nil
}
