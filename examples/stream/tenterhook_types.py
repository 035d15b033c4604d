"""Types of the lines of `tenterhook fire --stream`, protocol version 1. Keys and kinds of lines may be added within a version."""
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union, final

Decision = Literal["allow", "ask", "defer", "deny"]


@final
class Fault(TypedDict):
    """A failure or a deviation, and the remedy."""
    code: str
    hook: Optional[str]
    message: str


@final
class Shadow(TypedDict):
    """The decision that a hook in shadow would have made."""
    decision: Literal["allow", "ask", "defer", "deny", "stop", "silent"]
    reason: Optional[str]
    rewrote: bool
    context: Optional[str]
    faults: List[Fault]


class _Step(TypedDict):
    hook: str
    source: str
    line: int
    executor: str
    ended: str
    duration_ms: float
    verdict: Optional[Decision]


@final
class Step(_Step, total=False):
    """One hook that ran."""
    shadow: Shadow


@final
class Stop(TypedDict):
    reason: Optional[str]


class _Outcome(TypedDict):
    blocked: bool
    decision: Optional[Decision]
    reason: Optional[str]
    updated_input: Optional[Dict[str, Any]]
    updated_prompt: Optional[str]
    updated_output: Any
    additional_context: Optional[str]
    system_messages: List[str]
    stop: Optional[Stop]
    updated_permissions: List[Any]
    watch_paths: Optional[List[str]]
    initial_user_message: Optional[str]
    retry: Optional[bool]
    env: Dict[str, Any]
    extra: Dict[str, Any]
    faults: List[Fault]
    steps: List[Step]


@final
class Outcome(_Outcome, total=False):
    """The joint decision of all hooks about one event. Apply `blocked` and `stop` first, then `decision`, then the rest."""
    id: Any


@final
class PreToolUse(TypedDict):
    """A tool call before it runs, in the form of Claude Code: what a host writes. Keys may be added."""
    id: Any
    session_id: str
    hook_event_name: Literal["PreToolUse"]
    tool_name: str
    tool_input: Dict[str, Any]
    tool_use_id: str


@final
class Request(TypedDict, total=False):
    """A request of a host, beside its events: exactly one key beside `id`. `cancel` is the `id` of an open event."""
    id: Any
    hello: Literal[True]
    cancel: Any
    reload: Literal[True]
    status: Literal[True, "follow"]


@final
class Hello(TypedDict):
    version: str
    protocol: int
    dialect: str
    requests: List[str]
    max_open: int


@final
class HelloReply(TypedDict):
    id: Any
    hello: Hello


@final
class Cancel(TypedDict):
    id: Any
    open: bool


@final
class CancelReply(TypedDict):
    """If the event was open, its outcome follows."""
    id: Any
    cancel: Cancel


@final
class Reload(TypedDict):
    hooks: int
    built_in: int
    error: Optional[str]
    faults: List[Fault]


@final
class ReloadReply(TypedDict):
    """With an `error`, no file was read, and the previous hooks stay in effect. One broken file is a fault, and its last hooks stay."""
    id: Any
    reload: Reload


@final
class BackgroundStep(TypedDict):
    event: str
    hook: str


@final
class Status(TypedDict):
    hooks: int
    built_in: int
    open: List[Any]
    background: List[BackgroundStep]
    message: Optional[str]


class _StatusReply(TypedDict):
    status: Status


@final
class StatusReply(_StatusReply, total=False):
    """Without an `id` if it is sent because the message changed."""
    id: Any


@final
class FinishedStep(TypedDict):
    event: str
    wakes: bool
    outcome: Outcome


@final
class Finished(TypedDict):
    """A background hook that ended after its event."""
    finished: FinishedStep


Line = Union[Outcome, HelloReply, CancelReply, ReloadReply, StatusReply, Finished]
