// Asks Tenterhook before each tool call: one line out, one line back, under the same id.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
)

func main() {
	program := append(os.Args[1:], "tenterhook")[0]
	hooks := exec.Command(program, "fire", "--stream")
	input, _ := hooks.StdinPipe()
	output, _ := hooks.StdoutPipe()
	if err := hooks.Start(); err != nil {
		log.Fatal(err)
	}
	answers := json.NewDecoder(output)
	for id, command := range []string{"ls", "rm -rf build", "cat .env"} {
		json.NewEncoder(input).Encode(map[string]any{
			"id": id, "session_id": "demo", "hook_event_name": "PreToolUse", "tool_name": "Bash",
			"tool_input": map[string]any{"command": command}, "tool_use_id": fmt.Sprint("t", id)})
		for { // lines without our id are news of background hooks
			outcome := struct{ Id *int; Decision, Reason string }{}
			if err := answers.Decode(&outcome); err != nil {
				log.Fatal("tenterhook has gone: nothing may proceed")
			}
			if outcome.Id != nil && *outcome.Id == id {
				fmt.Println(command+":", append(strings.Fields(outcome.Decision), "proceed")[0], outcome.Reason)
				break
			}
		}
	}
	input.Close()
	hooks.Wait()
}
