// Package browser uses a notebook as a person does: in Chromium, with clicks and
// keys.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	// stepTimeout of one thing that the person does or waits to see.
	stepTimeout = time.Minute

	// visitTimeout is longer than all steps take, so that the one that fails
	// can still be photographed.
	visitTimeout = 10 * time.Minute
)

// Visit is a visit to a notebook.
type Visit struct {
	// URL of the notebook, as its status says.
	URL string
	// Token that lets the person in.
	Token string
	// Frontend that the person expects to see.
	Frontend Frontend
	// HostRules tell Chromium where a host really is, for example
	// "MAP alpha.team-a.svc.cluster.local:8888 127.0.0.1:40123".
	HostRules string
	// Screenshot is the file for a picture of the result, "….png". A visit that
	// fails leaves "….failed.png" instead, and the pages' console in "….failed.log".
	Screenshot string
}

// Run opens the notebook's URL, creates a notebook, runs 6*7 in its first cell
// and sees 42. It also returns what the pages complained of meanwhile, on their
// console or in a dialog.
func (v Visit) Run(ctx context.Context) (complaints []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, v.flags()...)
	defer cancel()
	console := newConsole(v.Token)
	tab, cancel := chromedp.NewContext(ctx, chromedp.WithListener(console.listen), chromedp.WithErrorf(console.chromedpf))
	defer cancel()
	if err := chromedp.Do(tab); err != nil {
		return nil, fmt.Errorf("cannot start Chromium: %w", err)
	}

	tab, err = v.work(tab, console)
	err = errors.Join(err, declineNews(tab), console.readPopups(tab))
	if err == nil {
		err = v.photograph(tab, ".png")
	} else {
		err = errors.Join(err, v.photograph(tab, ".failed.png"), console.save(v.beside(".failed.log")))
	}
	return console.complained(), err
}

// work returns the tab that the person looks at in the end.
func (v Visit) work(tab context.Context, console *console) (context.Context, error) {
	address := strings.TrimSuffix(v.URL, "/") + "/?token=" + url.QueryEscape(v.Token)
	if err := do(tab, "open the page", chromedp.Navigate(address)); err != nil {
		return tab, err
	}
	front, known := frontends[v.Frontend]
	if !known {
		return tab, fmt.Errorf("cannot use a front end called %q", v.Frontend)
	}
	tab, err := front.create(tab, console)
	if err != nil {
		return tab, err
	}
	if err := do(tab, "see an idle kernel", front.idle); err != nil {
		return tab, err
	}
	if err := do(tab, "type in the first cell",
		chromedp.Click(front.cell),
		chromedp.WaitVisible(front.focused),
		chromedp.KeyEvent("6*7"),
		waitForText(front.focused, "6*7"),
	); err != nil {
		return tab, err
	}
	if err := do(tab, "press Shift+Enter", pressShiftEnter); err != nil {
		return tab, err
	}
	return tab, do(tab, "see 42 below the cell", waitForText(front.output, "42"))
}

// do takes steps that give nothing.
func do(tab context.Context, what string, steps ...chromedp.Action[chromedp.Void]) error {
	_, err := get(tab, what, chromedp.Steps(steps...))
	return err
}

// get takes a step, with its deadline, and returns what it gives.
//
//nolint:ireturn // It is the type that the step gives.
func get[T any](tab context.Context, what string, step chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(tab, stepTimeout)
	defer cancel()
	got, err := chromedp.Run(ctx, step)
	if err != nil {
		return got, fmt.Errorf("cannot %s: %w", what, err)
	}
	return got, nil
}

func (v Visit) flags() []chromedp.ExecAllocatorOption {
	// Chromium gets an empty profile, and no sandbox when root starts it, from
	// chromedp.
	return []chromedp.ExecAllocatorOption{
		chromedp.Headless,
		chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.WindowSize(1280, 800),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-dev-shm-usage", true), // It is small in containers.
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("no-proxy-server", true), // The rules below are for direct connections.
		chromedp.Flag("host-resolver-rules", v.HostRules),
	}
}

// photograph saves what the tab shows.
func (v Visit) photograph(tab context.Context, suffix string) error {
	png, err := get(tab, "take a screenshot", chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	if err := os.WriteFile(v.beside(suffix), png, 0o600); err != nil {
		return fmt.Errorf("cannot keep the screenshot: %w", err)
	}
	return nil
}

// beside returns the name of the screenshot with another ending.
func (v Visit) beside(suffix string) string {
	return strings.TrimSuffix(v.Screenshot, ".png") + suffix
}
