/** Values of command-line options. An invalid one is an error that names the option, the value and the expected values. */

import { closestName } from '../../core/closest-name.ts';
import { GatewayError } from '../../core/errors.ts';
import { APP_ERRORS } from '../process/errors.ts';

/** `choices`: the possible values, if there are few, to suggest the intended one. */
export function optionError(
  option: string,
  value: string,
  expected: string,
  choices: readonly string[] = [],
): GatewayError {
  const closest = closestName(value, choices);
  const context = { option, value, expected, ...(closest === null ? {} : { didYouMean: closest }) };
  return new GatewayError(APP_ERRORS.CLI_OPTION_INVALID, context);
}

export function integerOption(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw optionError(option, text, `a whole number from ${min} to ${max}`);
}

/** `1280x720` as [width, height], both even, as 4:2:0 video requires. */
export function sizeOption(text: string): [number, number] {
  const match = /^(\d{2,4})x(\d{2,4})$/.exec(text);
  const [widthPx, heightPx] = [Number(match?.[1]), Number(match?.[2])];
  const isUsable = widthPx >= 64 && heightPx >= 64 && widthPx % 2 === 0 && heightPx % 2 === 0;
  if (match === null || !isUsable)
    throw optionError('--size', text, 'WIDTHxHEIGHT, even numbers of at least 64');
  return [widthPx, heightPx];
}

/** `host:port` or `[v6]:port`; with port 0, the system chooses. */
export function listenOption(text: string, option = '--listen'): [string, number] {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535) throw optionError(option, text, 'HOST:PORT');
  return [host, port];
}
