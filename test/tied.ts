// Ties a program to the process that starts it:
// `spawn('/bin/sh', ['-c', TIED, program, ...args], { stdio: ['pipe', 'ignore', 'inherit'] })`.
/** The shell waits for a signal's name or the end of its input, which also comes when this process is killed. */
export const TIED = '"$0" "$@" </dev/null & read -r signal; kill -s "${signal:-QUIT}" $!; wait $!';
