//! Which shell lines cost the most to read? Shapes that repeat one part up to the size limit:
//! each was, or may become, more than linear for a parser. Reads and runs nothing.

/// One shape: `head`, `each` as often as the size allows, `middle`, `close` as often, `tail`.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What people call it.
    pub name: &'static str,
    head: &'static str,
    /// The repeated part; `#` in it is a number that grows.
    each: &'static str,
    middle: &'static str,
    close: &'static str,
    tail: &'static str,
}

impl Shape {
    /// The line of this shape that has at most so many bytes.
    #[must_use]
    pub fn line(&self, bytes: usize) -> String {
        let mut line = self.head.to_owned();
        let fixed = self.head.len() + self.middle.len() + self.tail.len();
        let room = bytes.saturating_sub(fixed);
        let mut closing = 0;
        for at in 0_usize.. {
            let one = self.each.replace('#', &at.to_string());
            if line.len() - self.head.len() + one.len() + closing + self.close.len() > room {
                break;
            }
            closing += self.close.len();
            line.push_str(&one);
        }
        line.push_str(self.middle);
        let times = closing.checked_div(self.close.len()).unwrap_or_default();
        line.push_str(&self.close.repeat(times));
        line.push_str(self.tail);
        line
    }
}

/// A row of the table: name, head, what is repeated, middle, what is repeated behind it, tail.
type Row = [&'static str; 6];

/// Every shape.
pub fn all() -> impl Iterator<Item = Shape> {
    ROWS.iter().map(|[name, head, each, middle, close, tail]| Shape {
        name,
        head,
        each,
        middle,
        close,
        tail,
    })
}

const ROWS: &[Row] = &[
    // Substitutions.
    ["substitutions in a redirection", "cd d && echo x > ", "$(a)", "", "", ""],
    ["substitutions, apart", "echo ", "$(a) ", "", "", ""],
    ["substitutions, joined", "echo ", "$(a)", "", "", ""],
    ["different substitutions", "echo ", "$(a#)", "", "", ""],
    ["substitutions in quotes", "echo \"", "$(a)", "", "", "\""],
    ["substitutions in a nest", "echo ", "$(a ", "b", ")", ""],
    ["substitutions and quotes in a nest", "echo ", "\"$(echo ", "b", ")\"", ""],
    ["backticks", "echo ", "`a` ", "", "", ""],
    ["unclosed substitutions", "echo ", "$(a ", "", "", ""],
    ["unclosed substitutions in quotes", "echo \"", "$(a ", "", "", ""],
    ["process substitutions", "python3 ", "<(curl a) ", "", "", ""],
    ["shells of process substitutions", "", "bash <(a); ", "", "", ""],
    // Places.
    ["changes of directory in a list", "", "cd a && ", "b", "", ""],
    ["changes of directory", "", "cd a; ", "", "", ""],
    ["deletions behind changes of directory", "", "cd aaaa; rm -rf x; ", "", "", ""],
    ["a directory from a variable", "D=/a; ", "cd $D; rm $D; ", "", "", ""],
    ["deletions in a deep directory", "cd ", "a/", "; ", "rm x; ", ""],
    // Variables.
    ["variables of each other", "", "A#=$A#$B#; ", "", "", ""],
    ["a variable that doubles", "X=a; ", "X=$X$X; ", "", "", ""],
    ["one variable, many uses", "X=/; ", "rm -rf $X; ", "", "", ""],
    ["loops and assignments", "for v in ", "$x ", "; do :; done; ", "a=b; ", ""],
    ["many loops", "", "for v# in $a $b; do a#=$v#; done; ", "", "", ""],
    ["many assignments", "", "A#=b ", "", "", ""],
    ["exports", "", "export A#=b; ", "", "", ""],
    ["parameters", "set -- ", "a ", "; ", "rm $@; ", ""],
    ["variables that are read", "read ", "a ", "<<< \"", "b ", "\""],
    ["an array, used", "a=(", "x ", "); ", "rm ${a[@]}; ", ""],
    ["elements of an array", "", "a[#]=b; ", "", "", ""],
    ["defaults", "echo ", "${a:-b} ", "", "", ""],
    ["defaults in a nest", "echo ", "${a:-", "b", "}", ""],
    ["open parameters", "", "${", "", "", ""],
    ["open parameters in a here-document", "sh <<E\n", "${", "\nE\n", "", ""],
    // Redirections and here-documents.
    ["redirections", "echo x ", "> f# ", "", "", ""],
    ["redirections of a group", "{ ", "echo x; ", "} ", "> f ", ""],
    ["computed redirections of a list", "true ", "&& echo a ", "", "> $(a)", ""],
    ["many here-documents", "", "cat <<E#\n$x `a` $(b)\nE#\n", "", "", ""],
    ["substitutions in a here-document", "cat <<E\n", "$(a)\n", "E\n", "", ""],
    ["variables in a here-document for a shell", "sh <<E\n", "$x\n", "E\n", "", ""],
    ["here-documents without an end", "", "a <<E ", "", "", ""],
    // Pipes.
    ["a pipeline", "a ", "| a ", "", "", ""],
    ["echoes into shells", "", "echo a | sh; ", "", "", ""],
    ["echoes into files", "", "echo a | tee f; ", "", "", ""],
    ["files that are written and run", "", "echo a > f#; ./f#; ", "", "", ""],
    ["one echo, many receivers", "echo ", "a ", " | xargs rm; ", "echo b | xargs rm; ", ""],
    ["statements", "", "echo a | psql -c b; ", "", "", ""],
    // Patterns and braces.
    ["patterns", "rm ", "a*b*c*/* ", "", "", ""],
    ["one long pattern", "rm ", "*a", "", "", ""],
    ["braces", "rm ", "{a,b} ", "", "", ""],
    ["braces in one word", "rm ", "{a,b}", "", "", ""],
    ["braces with many choices", "rm x{", "a,", "b}", "", ""],
    ["braces in a nest", "rm ", "{a,", "b", "}", ""],
    // Programs that run others.
    ["actions of find", "find . ", "-exec a \\; ", "", "", ""],
    ["actions of find, redirected", "find . ", "-exec a \\; ", "", "> f ", ""],
    ["names for find", "find ", "a ", "", "-name b ", ""],
    ["what find hands on", "find ", "a ", " -name b | xargs rm; ", "xargs rm; ", ""],
    ["places of parallel", "parallel '", "{}", "' ::: ", "a ", ""],
    ["places in places of parallel", "parallel '", "{}", "' ::: '{.}{/}", "{.}", "'"],
    ["wrappers", "", "sudo ", "a", "", ""],
    ["wrappers and a command", "", "sudo ", "rm -rf /", "", ""],
    ["programs that may run others", "", "ssh rm ", "a", "", ""],
    ["programs that may run lines", "", "ssh a 'ssh b rm c'; ", "", "", ""],
    ["shells", "", "bash -c 'a b'; ", "", "", ""],
    ["a shell with a long line", "bash -c '", "a; ", "'", "", ""],
    ["a shell with many words", "sh -c ", "\"$(a)\" ", "", "", ""],
    ["evaluated substitutions", "", "eval $(a); ", "", "", ""],
    ["an evaluated variable", "x=a; ", "eval $x; ", "", "", ""],
    ["functions", "", "f#() { a $1; }; f# b; ", "", "", ""],
    ["one function, many calls", "f() { a $1; a $1; a $1; a $1; }; ", "f x; ", "", "", ""],
    ["aliases", "", "alias a#=b; a#; ", "", "", ""],
    ["functions in the background", "", "a#(){ a#|a#& }; ", "", "", ""],
    // Other languages, other machines.
    ["downloads that are run", "", "curl http://a/# -o f#; sh f#; ", "", "", ""],
    ["downloads into files", "curl http://a/ ", ">f# ", "; ", "sh x; ", ""],
    ["quoted texts of Python", "python3 -c \"", "'a b','c',", "system rmtree write\"", "", ""],
    ["a script of Python", "python3 - <<'E'\n", "run(['rm','-rf','/x'])\n", "E\n", "", ""],
    ["names that are asked for", "", "dig $(a).b.c; ", "", "", ""],
    ["connections", "", "nc a 1; ", "", "", ""],
    ["packages", "pip install ", "reqeusts# ", "", "", ""],
    // Plain things, many of them.
    ["commands", "", "a# x\n", "", "", ""],
    ["the same command", "", "a\n", "", "", ""],
    ["words", "a ", "b ", "", "", ""],
    ["one word", "rm ", "a", "", "", ""],
    ["quotes", "echo ", "'a'", "", "", ""],
    ["paths", "", "cat /etc/x#; ", "", "", ""],
    ["tests", "", "[[ -f a ]] && ", "b", "", ""],
    ["one test", "[[ ", "a && ", "a ]]", "", ""],
    ["cases", "case x in ", "a) b;; ", "esac", "", ""],
    ["conditions in a nest", "", "if a; then ", "b; ", "fi; ", ""],
    ["parentheses in a nest", "", "(", "a", ")", ""],
    ["sums", "echo ", "$((1+1)) ", "", "", ""],
    // Invalid lines.
    ["brackets the wrong way round", "", ")(", "", "", ""],
    ["arrows", "", "<<<<", "", "", ""],
    ["open sums", "", "$((", "", "", ""],
    ["open cases", "", "case ", "", "", ""],
    ["open quotes", "", "`\"$(", "", "", ""],
];
