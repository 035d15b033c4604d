PROTECTED = ("migrations/", "generated/")


def judge(call):
    path = call.get("tool_input", {}).get("file_path", "")
    held = [part for part in PROTECTED if part in path]
    return f"{held[0]} is made by a program" if held else None
