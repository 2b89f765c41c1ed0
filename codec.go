package main

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// A codec decodes requests without the managed fields of the objects in them.
// These are half of what Crossplane sends, and nobody here reads them. Decoding
// them would take longer than all that the function does.
type codec struct {
	encoding.CodecV2

	managedFields [][]step
}

// newCodec does all but this as gRPC's own codec does.
func newCodec() codec {
	// fields["metadata"].value.struct_value.fields["managedFields"] of an object
	object := []step{{1, "metadata"}, {2, ""}, {5, ""}, {1, "managedFields"}}
	return codec{encoding.GetCodecV2(grpcproto.Name), [][]step{
		slices.Concat([]step{{2, ""}, {1, ""}, {1, ""}}, object),          // observed.composite.resource
		slices.Concat([]step{{2, ""}, {2, ""}, {2, ""}, {1, ""}}, object), // observed.resources[].value.resource
		slices.Concat([]step{{8, ""}, {2, ""}, {1, ""}, {1, ""}}, object), // required_resources[].value.items[].resource
	}}
}

// Unmarshal a message.
func (c codec) Unmarshal(data mem.BufferSlice, message any) error {
	req, ok := message.(*fnv1.RunFunctionRequest)
	if !ok {
		return errors.Wrap(c.CodecV2.Unmarshal(data, message), "cannot decode")
	}
	b := data.Materialize()
	for _, path := range c.managedFields {
		hide(b, path)
	}
	return errors.Wrap(proto.Unmarshal(b, req), "cannot decode the request")
}

// A step leads from an encoded message to the messages in one of its fields. If
// it has a key, the field is a map, and the step leads to the entry of that key.
type step struct {
	field protowire.Number
	key   string
}

// Tags of an object's fields, and of a field that no message has. Such a field
// is not decoded.
const (
	tagFields  = 1<<3 | byte(protowire.BytesType)
	tagUnknown = 15<<3 | byte(protowire.BytesType)
)

// hide what is at the end of a path. A message that cannot be read is left as it
// is, for decoding to say what is wrong with it.
func hide(message []byte, path []step) {
	for len(message) > 0 {
		field, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return
		}
		size := protowire.ConsumeFieldValue(field, kind, message[tag:])
		if size < 0 {
			return
		}
		if field == path[0].field && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message[tag:])
			switch {
			case path[0].key != "" && !hasKey(value, path[0].key):
			case len(path) > 1:
				hide(value, path[1:])
			case message[0] == tagFields:
				message[0] = tagUnknown
			}
		}
		message = message[tag+size:]
	}
}

// hasKey tells whether an encoded entry of a map has that key.
func hasKey(entry []byte, key string) bool {
	field, kind, tag := protowire.ConsumeTag(entry)
	if field != 1 || kind != protowire.BytesType {
		return false
	}
	text, _ := protowire.ConsumeBytes(entry[tag:])
	return string(text) == key
}
