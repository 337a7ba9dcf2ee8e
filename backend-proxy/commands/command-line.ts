// What `payment-proxy COMMAND` can do, and how each command is run. A command's module is loaded only when it is
// called, so that `version` answers at once. An unknown command or option prints the usage and ends with 2.
import { parseArgs } from 'node:util';
import { VERSION } from '../installation.ts';
import { UsageError, type Call, type Run, printable } from './report.ts';

interface Command {
  takes: string;
  does: string;
  load: () => Promise<Run>;
}

const COMMANDS: Record<string, Command> = {
  init: {
    takes: '[FILE]',
    does: 'writes an .env with fresh secrets, never over an existing one',
    load: async () => (await import('./init.ts')).init,
  },
  check: {
    takes: '[--json]',
    does: 'tries configuration, database, gateway and webhook host, and says what is wrong',
    load: async () => (await import('./check.ts')).check,
  },
  doctor: {
    takes: 'URL [--json]',
    does: 'tries a deployed proxy from outside',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  listen: {
    takes: '--to URL [--proxy URL]',
    does: 'brings the webhooks of a proxy to a server on this machine',
    load: async () => (await import('./listen.ts')).listen,
  },
  trigger: {
    takes: 'TYPE --to URL [--show]',
    does: 'signs and sends a sample webhook to a server on this machine',
    load: async () => (await import('./trigger.ts')).trigger,
  },
  backup: {
    takes: 'FILE',
    does: 'copies the database into a file, also while the proxy runs',
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    takes: 'FILE',
    does: 'puts a backup in the place of the database, while no proxy runs',
    load: async () => (await import('./backup.ts')).restore,
  },
  version: {
    takes: '',
    does: 'prints the version',
    load: () => Promise.resolve(version),
  },
};

const ALIASES: Record<string, string> = { '--version': 'version', '-v': 'version' };
const HELP = new Set(['help', '--help', '-h']);
const USAGE_EXIT_CODE = 2;

/** Runs `payment-proxy NAME …args`. Resolves with the exit code. */
export async function runCommand(
  [given = '', ...args]: string[],
  { env, print, printError, unread }: Omit<Call, 'args'> & { printError: (line: string) => void },
): Promise<number> {
  if (HELP.has(given)) {
    print(usageOf());
    return 0;
  }
  const name = ALIASES[given] ?? given;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    printError(`payment-proxy: there is no command "${printable(given)}".\n\n${usageOf()}`);
    return USAGE_EXIT_CODE;
  }
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    print(usageOf(name));
    return 0;
  }
  try {
    return await (
      await command.load()
    )({ args, env, print, ...(unread && { unread }) });
  } catch (error) {
    const isUsage = isWrongCall(error);
    const message = error instanceof Error ? error.message : String(error);
    const lines = message.split('\n').map(printable).join('\n');
    printError(`payment-proxy ${name}: ${lines}${isUsage ? `\n\n${usageOf(name)}` : ''}`);
    return isUsage ? USAGE_EXIT_CODE : 1;
  }
}

/** `parseArgs` of node:util throws such errors for unknown options and missing values. */
function isWrongCall(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
}

async function version({ args, print }: Call): Promise<number> {
  parseArgs({ args, options: {} });
  print(VERSION);
  return 0;
}

/** The usage of one command, or of all. */
function usageOf(name?: string): string {
  const commands = Object.entries(COMMANDS).filter(([each]) => name === undefined || each === name);
  const lines = commands.map(
    ([each, { takes, does }]) => `  payment-proxy ${`${each} ${takes}`.trim()}\n      ${does}`,
  );
  const start = '  payment-proxy\n      starts the proxy, configured by its environment (docs/configuration.md)';
  return ['Usage:', ...(name === undefined ? [start] : []), ...lines].join('\n');
}
