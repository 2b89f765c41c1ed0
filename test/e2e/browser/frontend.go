package browser

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Frontend is what a Jupyter server shows its users.
type Frontend string

// The front ends that a Visit can use.
const (
	Lab     Frontend = "lab"     // JupyterLab 4
	Classic Frontend = "classic" // Notebook 6
)

// frontend is a front end as the person finds the way around in it.
type frontend struct {
	// create creates a notebook and returns the tab in which it opens.
	create func(tab context.Context, console *console) (context.Context, error)

	// idle waits for the sign of an idle kernel. Before there is one, JupyterLab
	// takes a cell that is run and forgets it.
	idle chromedp.Action[chromedp.Void]

	// The first cell, the same with the cursor in it, and what cells gave.
	cell, focused, output chromedp.CSS
}

var frontends = map[Frontend]frontend{
	Lab: {
		create:  createInLab,
		idle:    waitFor(labIdle),
		cell:    `.jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .jp-InputArea-editor`,
		focused: `.jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .cm-editor.cm-focused .cm-content`,
		output:  `.jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-executeResult .jp-OutputArea-output`,
	},
	Classic: {
		create:  createInClassic,
		idle:    chromedp.WaitVisible(chromedp.CSS(`#kernel_indicator_icon.kernel_idle_icon`)),
		cell:    `#notebook .code_cell .CodeMirror`,
		focused: `#notebook .code_cell .CodeMirror-focused .CodeMirror-code pre`,
		output:  `#notebook .output_result`,
	},
}

// labIdle looks at the status bar, which for a moment tells of another notebook.
const labIdle = `[...document.querySelectorAll(".jp-StatusBar-TextItem")].some(e =>
	e.innerText === "Python 3 (ipykernel) | Idle" &&
	e.title === "Change kernel for " + document.querySelector("#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current")?.innerText.trim())`

func createInLab(tab context.Context, _ *console) (context.Context, error) {
	if err := do(tab, "see JupyterLab",
		chromedp.WaitVisible(chromedp.CSS(`.jp-FileBrowser .jp-DirListing-content`)),
		chromedp.WaitNotPresent(chromedp.CSS(`#jupyterlab-splash`)),
	); err != nil {
		return tab, err
	}
	// Lab shows what was open on the last visit, so ask for the launcher.
	if err := do(tab, "open the launcher", chromedp.Click(chromedp.CSS(`.jp-FileBrowser-toolbar [data-command="launcher:create"]`))); err != nil {
		return tab, err
	}
	card := chromedp.CSS(`.jp-MainAreaWidget:not(.lm-mod-hidden) .jp-LauncherCard[data-category="Notebook"][title^="Python 3"]`)
	return tab, do(tab, "create a notebook from the launcher", chromedp.Click(card))
}

// declineNews answers the question that JupyterLab asks on a first visit.
func declineNews(tab context.Context) error {
	no := chromedp.CSS(`.jp-toast-button[title="No"]`)
	asked, err := get(tab, "look for the news", chromedp.Evaluate[bool](fmt.Sprintf(`document.querySelector(%q) !== null`, no)))
	if err != nil {
		return err
	}
	if !asked {
		return nil
	}
	return do(tab, "decline the news", chromedp.Click(no), chromedp.WaitNotPresent(no))
}

// createInClassic follows the notebook into the tab that it opens.
func createInClassic(tab context.Context, console *console) (context.Context, error) {
	if err := do(tab, "open the menu New", chromedp.Click(chromedp.CSS(`#new-dropdown-button`))); err != nil {
		return tab, err
	}
	opened := chromedp.WaitNewTarget(tab, func(info *target.Info) bool {
		return strings.Contains(info.URL, "/notebooks/")
	})
	if err := do(tab, "create a notebook from the menu", chromedp.Click(chromedp.CSS(`#kernel-python3 a`))); err != nil {
		return tab, err
	}
	ctx, cancel := context.WithTimeout(tab, stepTimeout)
	defer cancel()
	select {
	case id := <-opened:
		// It ends with the first tab, and not with a step's deadline.
		notebook, _ := chromedp.NewContext(tab, chromedp.WithTargetID(id), chromedp.WithListener(console.listen))
		if err := chromedp.Do(notebook); err != nil {
			return tab, fmt.Errorf("cannot look at the notebook's tab: %w", err)
		}
		return notebook, nil
	case <-ctx.Done():
		return tab, fmt.Errorf("cannot see a tab of the notebook: %w", ctx.Err())
	}
}

// waitForText waits until an element that matches shows exactly this text.
func waitForText(selector chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return waitFor(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.innerText.trim() === %q)`, selector, text))
}

// waitFor waits until a JavaScript expression is true.
func waitFor(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(100*time.Millisecond), chromedp.WithPollingTimeout(stepTimeout))
}

// pressShiftEnter runs a cell. chromedp's own key events would also type a line
// break, into the next cell.
func pressShiftEnter(ctx context.Context, tab *chromedp.Target) (none chromedp.Void, err error) {
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := cdp.Call(ctx, tab, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type:                  kind,
			Modifiers:             int64(chromedp.ModifierShift),
			Key:                   "Enter",
			Code:                  "Enter",
			WindowsVirtualKeyCode: 13,
		}); err != nil {
			return none, fmt.Errorf("cannot press a key: %w", err)
		}
	}
	return none, nil
}
