package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Parts of the front ends that Debian announces and does not package: not what a
// notebook could do better.
const (
	missingLSP     = "/lsp/status?"
	missingWidgets = "/nbextensions/widgets/notebook/js/extension.js?"
)

// console keeps what the pages of a visit say to developers. Chromium itself
// tells there of requests that failed and of what a policy forbade.
type console struct {
	hide *strings.Replacer // The token, which addresses hold.

	mu         sync.Mutex // Each tab has its own listener.
	lines      []string
	complaints []string
}

func newConsole(token string) *console {
	const hidden = "<token>"
	return &console{hide: strings.NewReplacer(token, hidden, url.QueryEscape(token), hidden)}
}

// listen to the events of a tab.
func (c *console) listen(event any) {
	switch e := event.(type) {
	case *log.EventEntryAdded:
		c.add(string(e.Entry.Level), e.Entry.Text+" "+e.Entry.URL)
	case *runtime.EventConsoleAPICalled:
		c.add(string(e.Type), text(e.Args...))
	case *runtime.EventExceptionThrown:
		c.add("exception", e.ExceptionDetails.Text+" "+text(e.ExceptionDetails.Exception))
	case *page.EventJavascriptDialogOpening:
		c.add("dialog", e.Message)
	}
}

// chromedpf is told what the driver itself did not understand.
func (c *console) chromedpf(format string, args ...any) {
	c.add("chromedp", fmt.Sprintf(format, args...))
}

func (c *console) add(kind, text string) {
	line := c.hide.Replace(kind + ": " + strings.TrimSpace(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, line)
	switch kind {
	case "error", "assert", "exception", "dialog":
		if !strings.Contains(line, missingLSP) && !strings.Contains(line, missingWidgets) {
			c.complaints = append(c.complaints, line)
		}
	}
}

// popups of JupyterLab and of the classic Notebook that are open, and the signs
// that a notebook is not trusted.
const popups = `
	const visible = selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility());
	const popups = visible(".jp-Dialog, .Toastify__toast, .modal.in, .notification_widget.warning, .notification_widget.danger");
	const untrusted = visible('[data-icon="ui-components:not-trusted"], #notification_trusted [title^="Javascript disabled"]');
	[...popups.map(e => e.innerText), ...untrusted.map(() => "Not Trusted")]`

// readPopups adds what the page shows on top.
func (c *console) readPopups(tab context.Context) error {
	texts, err := get(tab, "look for dialogs", chromedp.Evaluate[[]string](popups))
	if err != nil {
		return err
	}
	for _, text := range texts {
		c.add("dialog", strings.Join(strings.Fields(text), " "))
	}
	return nil
}

// complained returns what a notebook should not give its user to see.
func (c *console) complained() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.complaints)
}

// save writes all that was said to a file.
func (c *console) save(file string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.WriteFile(file, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("cannot keep the console: %w", err)
	}
	return nil
}

// text of values as the console shows them, more or less.
func text(values ...*runtime.RemoteObject) string {
	var words []string
	for _, v := range values {
		switch {
		case v == nil:
		case v.Description != "":
			words = append(words, v.Description)
		default:
			words = append(words, strings.Trim(string(v.Value), `"`))
		}
	}
	return strings.Join(words, " ")
}
