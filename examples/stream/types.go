// Types of the lines of `tenterhook fire --stream`, protocol version 1. Keys and kinds of lines may be added within a version.
package main

// Fault is a failure or a deviation, and the remedy.
type Fault struct {
	Code    string  `json:"code"`
	Hook    *string `json:"hook"`
	Message string  `json:"message"`
}

// Shadow is the decision that a hook in shadow would have made.
type Shadow struct {
	Decision string  `json:"decision"`
	Reason   *string `json:"reason"`
	Rewrote  bool    `json:"rewrote"`
	Context  *string `json:"context"`
	Faults   []Fault `json:"faults"`
}

// Step is one hook that ran.
type Step struct {
	Hook       string  `json:"hook"`
	Source     string  `json:"source"`
	Line       int     `json:"line"`
	Executor   string  `json:"executor"`
	Ended      string  `json:"ended"`
	DurationMs float64 `json:"duration_ms"`
	Verdict    *string `json:"verdict"`
	Shadow     *Shadow `json:"shadow"`
}

// Stop means that everything must end.
type Stop struct {
	Reason *string `json:"reason"`
}

// Outcome is the joint decision of all hooks about one event. Apply Blocked and Stop first, then Decision, then the rest.
type Outcome struct {
	Blocked            bool           `json:"blocked"`
	Decision           *string        `json:"decision"`
	Reason             *string        `json:"reason"`
	UpdatedInput       map[string]any `json:"updated_input"`
	UpdatedPrompt      *string        `json:"updated_prompt"`
	UpdatedOutput      any            `json:"updated_output"`
	AdditionalContext  *string        `json:"additional_context"`
	SystemMessages     []string       `json:"system_messages"`
	Stop               *Stop          `json:"stop"`
	UpdatedPermissions []any          `json:"updated_permissions"`
	WatchPaths         []string       `json:"watch_paths"`
	InitialUserMessage *string        `json:"initial_user_message"`
	Retry              *bool          `json:"retry"`
	Env                map[string]any `json:"env"`
	Extra              map[string]any `json:"extra"`
	Faults             []Fault        `json:"faults"`
	Steps              []Step         `json:"steps"`
}

// Request is a request of a host, beside its events: exactly one field beside ID. Cancel is the id of an open event, Status is
// `true` or "follow".
type Request struct {
	ID     any  `json:"id,omitempty"`
	Hello  bool `json:"hello,omitempty"`
	Cancel any  `json:"cancel,omitempty"`
	Reload bool `json:"reload,omitempty"`
	Status any  `json:"status,omitempty"`
}

// Hello is the version and the capabilities of the program.
type Hello struct {
	Version  string   `json:"version"`
	Protocol int      `json:"protocol"`
	Dialect  string   `json:"dialect"`
	Requests []string `json:"requests"`
	MaxOpen  int      `json:"max_open"`
}

// Cancel says whether the event was open. If it was, its outcome follows.
type Cancel struct {
	ID   any  `json:"id"`
	Open bool `json:"open"`
}

// Reload is the result of a reload. With an Error, the previous hooks stay in effect.
type Reload struct {
	Hooks   int     `json:"hooks"`
	BuiltIn int     `json:"built_in"`
	Error   *string `json:"error"`
	Faults  []Fault `json:"faults"`
}

// BackgroundStep is a hook that runs longer than its event.
type BackgroundStep struct {
	Event string `json:"event"`
	Hook  string `json:"hook"`
}

// Status is the state of a stream.
type Status struct {
	Hooks      int              `json:"hooks"`
	BuiltIn    int              `json:"built_in"`
	Open       []any            `json:"open"`
	Background []BackgroundStep `json:"background"`
	Message    *string          `json:"message"`
}

// Finished is a background hook that ended after its event.
type Finished struct {
	Event   string  `json:"event"`
	Wakes   bool    `json:"wakes"`
	Outcome Outcome `json:"outcome"`
}

// Line is any line of the stream: an outcome unless one of the other fields is set.
type Line struct {
	ID any `json:"id"`
	Outcome
	Hello    *Hello    `json:"hello"`
	Cancel   *Cancel   `json:"cancel"`
	Reload   *Reload   `json:"reload"`
	Status   *Status   `json:"status"`
	Finished *Finished `json:"finished"`
}
