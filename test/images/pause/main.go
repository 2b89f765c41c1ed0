// Command pause is the first process of every pod's sandbox: it holds the
// namespaces that the pod's containers share, and reaps what they orphan.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ended, stop := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	for {
		select {
		case <-ended:
			reap()
		case <-stop:
			return
		}
	}
}

// reap collects every child that has ended: one signal may stand for several.
func reap() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil || pid == 0 {
			return
		}
	}
}
