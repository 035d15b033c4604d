// Asks Tenterhook before each tool call: one line out, one line back, under the same id. Without Tenterhook nothing may run.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

type hooks struct {
	input  io.WriteCloser
	lines  *json.Decoder
	lastID float64
	kill   func()
}

func start(program string) *hooks {
	command := exec.Command(program, "fire", "--stream")
	input, _ := command.StdinPipe()
	output, _ := command.StdoutPipe()
	if command.Start() != nil {
		return &hooks{kill: func() {}}
	}
	return &hooks{input, json.NewDecoder(output), 0, func() { _ = command.Process.Kill() }}
}

// ask returns `proceed`, `ask` or `deny`, the input that the tool must get, and the reason.
func (h *hooks) ask(tool string, input map[string]any, limit time.Duration) (string, map[string]any, string) {
	h.lastID++
	event := map[string]any{"id": h.lastID, "session_id": "demo", "hook_event_name": "PreToolUse",
		"tool_name": tool, "tool_input": input, "tool_use_id": fmt.Sprint("t", h.lastID)}
	defer time.AfterFunc(limit, h.kill).Stop()
	if h.lines != nil && json.NewEncoder(h.input).Encode(event) == nil {
		for line := (Line{}); h.lines.Decode(&line) == nil; line = (Line{}) {
			if line.ID == h.lastID || line.ID == nil && line.Blocked { // the latter: our line was not read
				return judge(line.Outcome, input)
			}
		}
	}
	return "deny", input, "tenterhook is not running: nothing may proceed"
}

func judge(outcome Outcome, input map[string]any) (answer string, _ map[string]any, reason string) {
	if answer = "ask"; outcome.Decision == nil || *outcome.Decision == "allow" {
		answer = "proceed"
	}
	if outcome.Blocked || outcome.Stop != nil {
		answer = "deny"
	}
	if outcome.UpdatedInput != nil {
		input = outcome.UpdatedInput
	}
	if outcome.Reason != nil {
		reason = *outcome.Reason
	}
	return answer, input, reason
}

func main() {
	hooks := start(append(os.Args[1:], "tenterhook")[0])
	limit, _ := time.ParseDuration(append(os.Args, "120", "120")[2] + "s") // longer than the hooks of one event
	for _, command := range []string{"ls", "rm -rf build", "cat .env", "npm install"} {
		answer, input, reason := hooks.ask("Bash", map[string]any{"command": command}, limit)
		runAs := ""
		if input["command"] != command {
			runAs = fmt.Sprint("as ", input["command"], " ")
		}
		fmt.Println(strings.TrimSpace(command + ": " + answer + " " + runAs + reason))
	}
}
