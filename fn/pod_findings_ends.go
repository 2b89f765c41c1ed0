package fn

import (
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// configMissing: env or envFrom name something that does not exist.
func configMissing(s situation, p pod) (verdict, bool) {
	waiting := p.notebook().waiting()
	message := waiting.text("message")
	if waiting.text("reason") != "CreateContainerConfigError" || !missing.MatchString(message) {
		return verdict{}, false
	}
	if strings.Contains(message, fmt.Sprintf("%q", accessName(s.name))) {
		return verdict{}, false // It is being created, too.
	}
	return failed("ConfigMissing", "the server cannot start, because env or envFrom name what does not exist%s: create it, or correct env and envFrom", s.inBrackets(message, maxQuote))
}

var (
	missing = regexp.MustCompile(`not found|couldn't find key`)

	// runtimes say at length that they could not start a container.
	runtimes = regexp.MustCompile(`^(failed to create (containerd|shim) task: |OCI runtime create failed: |runc create failed: |unable to start container process: |error during container init: |failed to start container "[^"]*": )+`)
)

// containerRefused: the container cannot be started as the claim wants it.
func containerRefused(s situation, p pod) (verdict, bool) {
	c := p.notebook()
	why := c.waiting()
	switch why.text("reason") {
	case "CreateContainerError", "RunContainerError", "StartError":
	case "CreateContainerConfigError":
		if missing.MatchString(why.text("message")) {
			return verdict{}, false
		}
	default:
		if why = c.ended(); !refusedStart(why) || c.running() {
			return verdict{}, false
		}
	}
	message := strings.TrimSuffix(runtimes.ReplaceAllString(why.text("message"), ""), ": unknown")
	return failed("ContainerRefused", "the server's container cannot be started%s: correct image, command, args or mounts", s.inBrackets(message, maxQuote))
}

// refusedStart tells a container that ended before it ran.
func refusedStart(end object) bool {
	reason := end.text("reason")
	return reason == "StartError" || reason == "ContainerCannotRun"
}

func outOfMemory(s situation, p pod) (verdict, bool) {
	if !ranOut(p.end()) {
		return verdict{}, false
	}
	return failed("OutOfMemory", "the server %s: work on less data at a time, or raise resources.limits.memory", s.ranOutOfMemory(p))
}

// ranOut of memory tells an end. (A server that lost a process for want of memory
// and was shut down later ended by itself.)
func ranOut(end object) bool {
	return end.text("reason") == "OOMKilled" && end.number("exitCode") != 0
}

func (s situation) ranOutOfMemory(p pod) string {
	if limit := p.resource("limits", string(corev1.ResourceMemory)); limit != "" {
		return "ran out of memory" + s.inBrackets("limit "+limit, maxQuote)
	}
	return "ran out of memory, because its node has no more"
}

func crashed(s situation, p pod) (verdict, bool) {
	end := p.end()
	if end.number("exitCode") == 0 || refusedStart(end) {
		return verdict{}, false
	}
	return failed("ServerCrashed", "the server %s: kubectl logs deployment/%s --previous shows more", s.crash(end), serverName(s.name))
}

// crash tells how a server ended, and the last thing that it said.
func (s situation) crash(end object) string {
	code := end.number("exitCode")
	text := fmt.Sprintf("crashed with exit code %d", code)
	if name, known := signals[code-128]; known {
		text += ", " + name
	}
	return text + s.inBrackets(lastWords(end.text("message")), maxLastWords)
}

// signals that end programs.
var signals = map[int64]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM", 24: "SIGXCPU", 31: "SIGSYS"}

const (
	// maxLastWords in bytes.
	maxLastWords = 200

	// maxLogTail is how much of a log kubelet takes for a termination message.
	maxLogTail = 2048
)

var jupyterPrefix = regexp.MustCompile(`^\[([CDEIW]) [^\]]*\] *`)

// lastWords of a server are the last line of its log that is not empty, or the
// last one that Jupyter calls critical: standard output and standard error come
// in any order. The first line of a log that was cut may begin inside a token.
func lastWords(log string) string {
	lines := strings.Split(log, "\n")
	if len(log) >= maxLogTail {
		lines = lines[1:]
	}
	var last, critical string
	for _, line := range lines {
		line = strings.TrimSpace(terminalCodes.ReplaceAllString(line, ""))
		m := jupyterPrefix.FindStringSubmatch(line)
		if m != nil {
			line = line[len(m[0]):]
		}
		if line == "" {
			continue
		}
		if last = line; m != nil && m[1] == "C" {
			critical = line
		}
	}
	if critical != "" {
		return critical
	}
	return last
}

// endedByItself: somebody shut the server down from inside.
func endedByItself(_ situation, p pod) (verdict, bool) {
	if end := p.end(); !end.exists() || end.number("exitCode") != 0 {
		return verdict{}, false
	}
	return creating("Restarting", "the server ended by itself (for example somebody shut it down), and starts again: to stop it, set stopped to true")
}

// restartNote tells the user of a notebook that is ready where its kernels went.
func (s situation) restartNote() string {
	p := pod{s.world.pod()}
	switch end := p.notebook().endedBefore(); {
	case !s.looksAtPods():
		return ""
	case ranOut(end):
		return ", and was restarted because it " + s.ranOutOfMemory(p)
	case end.number("exitCode") != 0 && !refusedStart(end):
		return ", and was restarted because it " + s.crash(end)
	default:
		return ""
	}
}
