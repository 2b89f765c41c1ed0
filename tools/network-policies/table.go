package main

import (
	"encoding/binary"
	"net"
	"net/netip"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
)

// table holds the rules that put packets into the queue. The library makes a
// table of its own, with nftables' statement for that. Where the kernel lacks the
// statement, it says so in the log and goes on: these rules do with what iptables
// uses. Where both work, a packet is asked about twice, to the same end.
var table = &nftables.Table{Name: "function-jupyter-policies", Family: nftables.TableFamilyIPv4}

// addTable queues the first packets of connections to and from pods which the
// node forwards. Those between a node and its pods are always allowed, says the
// API: the kubelet probes its pods.
func addTable(pods netip.Prefix) error {
	filter, err := nftables.New()
	if err != nil {
		return err
	}
	// What a process that crashed left is replaced.
	filter.AddTable(table)
	filter.DelTable(table)
	filter.AddTable(table)
	chain := filter.AddChain(&nftables.Chain{
		Name:    "forward",
		Table:   table,
		Type:    nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookForward,
		// After Services' addresses were replaced by their pods', and before
		// pods' are by the node's.
		Priority: nftables.ChainPriorityFilter,
	})
	for _, rule := range [][]expr.Any{
		append(established(), &expr.Verdict{Kind: expr.VerdictAccept}),
		append(address(source, pods), toQueue()),
		append(address(destination, pods), toQueue()),
	} {
		filter.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: rule})
	}
	return filter.Flush()
}

// removeTable removes what addTable made.
func removeTable() error {
	filter, err := nftables.New()
	if err != nil {
		return err
	}
	filter.DelTable(table)
	return filter.Flush()
}

// established matches packets of connections that were decided about.
func established() []expr.Any {
	state := binaryutil.NativeEndian.PutUint32(expr.CtStateBitESTABLISHED | expr.CtStateBitRELATED)
	none := make([]byte, 4)
	return []expr.Any{
		&expr.Ct{Key: expr.CtKeySTATE, Register: 1},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: state, Xor: none},
		&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: none},
	}
}

// Where the addresses are in the header of an IPv4 packet.
const (
	source      = 12
	destination = 16
)

// address matches packets which have an address of the range at the offset.
func address(offset uint32, pods netip.Prefix) []expr.Any {
	mask := net.CIDRMask(pods.Bits(), 32)
	return []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: offset, Len: 4},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: mask, Xor: make([]byte, 4)},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: pods.Masked().Addr().AsSlice()},
	}
}

// toQueue is iptables' target NFQUEUE, as in linux/netfilter/xt_NFQUEUE.h: the
// queue's number, how many there are, and a flag to let packets pass while
// nobody reads the queue.
func toQueue() *expr.Target {
	const (
		queues = 1
		bypass = 1
	)
	var info xt.Unknown
	for _, field := range []uint16{queue, queues, bypass, 0} {
		info = binary.NativeEndian.AppendUint16(info, field)
	}
	return &expr.Target{Name: "NFQUEUE", Rev: 3, Info: &info}
}
