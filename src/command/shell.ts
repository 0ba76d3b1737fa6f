import { inputError } from '../inputs/input-error.ts';
import { formatCount } from '../text/format.ts';

// The scripts that run in the sandbox, each in a login shell of its own.

/** The variable with the mark of this run. It is unset before the script starts. */
export const MARK_VARIABLE = 'SANDBOX_SYNC_MARK';

// MAX_ARG_STRLEN in Linux's binfmts.h, less the NUL at the end.
const MAX_SCRIPT_BYTES = 128 * 1024 - 1;

/**
 * Wraps a script in one that prints a trailer behind its output, which `trailerCutter` reads. `id`
 * names a temporary folder. @throws InputError if the result would be too long
 */
export function wrapScript(script: string, id: string): string {
  const outer = shellQuote(outerScript(`/tmp/sandbox-sync-${id}`));
  const wrapped = `${LOGIN}\nset -- bash --posix -c ${outer} bash ${shellQuote(script)}\n${LEAVE}`;
  const bytes = Buffer.byteLength(wrapped);
  if (bytes <= MAX_SCRIPT_BYTES) return wrapped;
  throw inputError(
    'run',
    `is too long by ${formatCount(bytes - MAX_SCRIPT_BYTES, 'byte')}: it must be below 128 KiB, and each ' counts as four bytes. Upload a script, and run that.`,
  );
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// Close stdin, which agents before 0.3 leave open, and merge stderr into stdout to keep the order.
const LOGIN = 'exec 2>&1 </dev/null';

// setsid starts a session, so that the script's children can be ended with it. Skip it if this
// shell already leads a group: setsid would fork, and the agent would see the shell exit at once.
const LEAVE = `read -r _ _ _ _ SANDBOX_SYNC_GROUP _ 2>/dev/null </proc/$$/stat
[ "\${SANDBOX_SYNC_GROUP:-$$}" = $$ ] || ! command -v setsid >/dev/null || exec setsid "$@"
exec "$@"`;

// Reads with builtins only, since a new process might not start when memory is full.
const READ_OOM_KILLS = `read -r -d '' __group </proc/self/cgroup
__read_oom_kills() {
  __oom_kills=
  read -r -d '' __oom_kills <"/sys/fs/cgroup\${__group##*0::}/memory.events"
  __oom_kills=\${__oom_kills##*oom_kill }
  __oom_kills=\${__oom_kills%%[!0-9]*}
}`;

/** More than this much in $GITHUB_OUTPUT fails the step. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

// Prints lines below PIPE_BUF (4,096 bytes), since the kernel writes such a line at once, whatever else
// prints. `read` and `${#…}` count bytes in the locale C. A FIFO in place of the file could hang.
const PRINT_OUTPUT = `__bytes=0
if [ -f "$__output" ] && [ -r "$__output" ]; then
  while IFS= read -r -N 2000 __piece || [ "$__piece" ]; do
    [ $((__bytes += \${#__piece})) -le ${MAX_OUTPUT_BYTES} ] || break
    __piece=\${__piece//\\\\/\\\\\\\\}
    __print "out	\${__piece//$'\\n'/\\\\n}"
  done <"$__output"
elif [ "$__output" ]; then
  __bytes=gone
fi`;

// Runs in POSIX mode, to leave BASH_ENV to the script's own shell. Names begin with __, since
// assigning to a variable of the environment would change it for the script. After TERM, this shell
// stays to report how the script ended. Its own stderr is closed, or it would print the whole script
// if a signal killed it. A Node process in the background makes the pipe non-blocking, so print again
// while it is full.
function outerScript(folder: string): string {
  return `__mark=$${MARK_VARIABLE}
unset ${MARK_VARIABLE}
export CI="\${CI-true}"
trap : TERM
exec 2>/dev/null
mkdir -m 700 ${folder}
__output=
[ "\${GITHUB_OUTPUT+x}" ] || { export GITHUB_OUTPUT=${folder}/output; >$GITHUB_OUTPUT && __output=$GITHUB_OUTPUT; }
${READ_OOM_KILLS}
__read_oom_kills
__oom_kills_before=$__oom_kills
bash -Eeo pipefail -c ${shellQuote(setTraps(folder))}"$1" 2>&1
__code=$?
LC_ALL=C
IFS= read -r -n 1000 __failed <${folder}/failed || IFS= read -r -n 1000 __failed <${folder}/exit || __failed=
__print() {
  __tries=100
  until printf %s "$__mark	$1
" || [ $((__tries -= 1)) = 0 ]; do sleep 0.1; done
}
${PRINT_OUTPUT}
rm -rf ${folder}
__read_oom_kills
__print "end	$__code	$__oom_kills_before	$__oom_kills	$__bytes	$__failed"
exit $__code`;
}

// Precedes the script on its first line, which keeps the line numbers. Uses `builtin`, since the
// script may define functions of these names, and writes to a file, since a failing command may have
// redirected stdout. If that fails, `set -e` must not end the trap, and so change the exit code. A
// subshell leaves the report to its parent. Before bash 5.1, LINENO is off by one. Of `a && b`, only
// EXIT sees that `a` has failed; it knows no line, and is silent after `exit` and our own `trap`.
function setTraps(folder: string): string {
  const line = '$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500 ? LINENO : 0))';
  const record = (place: string, file: string) =>
    `{ builtin printf "%s " $? "\${PIPESTATUS[@]}"; builtin printf "\\t%s" ${place} "\${BASH_SOURCE-}" "$BASH_COMMAND"; builtin echo; } >${folder}/${file};; esac; } 2>/dev/null || builtin :`;
  const onError = `{ case $BASH_SUBSHELL$- in 0*e*) ${record(line, 'failed')}`;
  const onExit = `{ case $?:$BASH_COMMAND in 0:* | *:exit* | *:trap*) ;; *) ${record('""', 'exit')}`;
  return `trap ${shellQuote(onError)} ERR; trap ${shellQuote(onExit)} EXIT; `;
}

/**
 * Returns the script that sends TERM to all processes of a session, and KILL after 4 s to those that
 * are left, except zombies. It finds them by session, since programs such as timeout start a new
 * group, or by group if setsid was skipped.
 */
export function endSessionScript(leader: number): string {
  return `members() {
  for file in /proc/[0-9]*/stat; do
    read -r stat <"$file" || continue
    set -- \${stat%% *} \${stat##*) }
    case "$2 $4 $5" in
      Z*) ;;
      *" ${leader} "* | *" ${leader}") echo "$1" ;;
    esac
  done
}
kill -TERM $(members)
for second in 1 2 3 4; do
  [ -z "$(members)" ] || sleep 1
done
kill -KILL $(members)`;
}
