/** A command's options: parsed from their description. An error suggests the intended option. */

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { closestName } from '../../core/closest-name.ts';

/** The command line is wrong: the user reads the message, and the process ends with EXIT_USAGE. */
export class UsageError extends Error {
  /** The command whose `--help` says more; null: `sluice` itself. */
  readonly command: string | null;

  constructor(command: string | null, message: string) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}

type ParsedOptions<T extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: T; strict: true; allowPositionals: true }>
>;

/**
 * `values` and `positionals` of `sluice <command> <args>`. Fails UsageError. `positionals`: whether there can be
 * any.
 */
export function parseOptions<const T extends ParseArgsOptionsConfig>(
  command: string,
  args: string[],
  options: T,
  positionals: 'none' | 'some' = 'none',
): ParsedOptions<T> {
  let parsed: ParsedOptions<T>;
  try {
    parsed = parseArgs({ args, options, strict: true, allowPositionals: true });
  } catch (thrown) {
    throw new UsageError(command, sentenceOf(thrown, args, Object.keys(options)));
  }
  const [first] = parsed.positionals;
  if (positionals === 'some' || first === undefined) return parsed;
  const isFile = /\.ya?ml$/.test(first) && 'config' in options;
  const hint = isFile ? ` Did you mean --config ${first}?` : '';
  throw new UsageError(command, `Unexpected argument "${first}".${hint}`);
}

/** ` Did you mean "check"?`, or nothing if no name is close. */
export function didYouMean(typed: string, names: readonly string[], prefix = ''): string {
  const closest = closestName(typed, names);
  return closest === null ? '' : ` Did you mean "${prefix}${closest}"?`;
}

function sentenceOf(thrown: unknown, args: readonly string[], names: readonly string[]): string {
  if (!(thrown instanceof TypeError)) throw thrown;
  if ((thrown as NodeJS.ErrnoException).code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return thrown.message;
  const option = unknownOption(args, names);
  if (option === null) return thrown.message;
  return `Unknown option ${option}.${didYouMean(option.replace(/^-+/, ''), names, '--')}`;
}

/** Without its value, which may be a secret. */
function unknownOption(args: readonly string[], names: readonly string[]): string | null {
  for (const arg of args) {
    if (arg === '--') break;
    const name = /^(--?[^=]+)/.exec(arg)?.[1];
    if (name !== undefined && !names.includes(name.slice(2))) return name;
  }
  return null;
}
