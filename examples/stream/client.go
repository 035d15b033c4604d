// Asks Tenterhook before each tool call: one line out, one line back, under the same id.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
)

func main() {
	program := append(os.Args[1:], "tenterhook")[0]
	hooks := exec.Command(program, "fire", "--stream")
	hooks.Stderr = os.Stderr
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
			outcome := map[string]any{}
			if err := answers.Decode(&outcome); err != nil {
				log.Fatal("tenterhook has gone: nothing may proceed")
			}
			if outcome["id"] == float64(id) {
				fmt.Println(command, outcome["decision"], outcome["reason"])
				break
			}
		}
	}
	input.Close()
	hooks.Wait()
}
