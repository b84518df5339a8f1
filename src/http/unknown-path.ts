/** The response to a caller whose path or method no endpoint has. */

import { closestName } from '../core/closest-name.ts';
import { GatewayError } from '../core/errors.ts';
import { API_ERRORS } from './errors.ts';

/** Longer paths are not compared: they are not typos. */
const MAX_COMPARED_LENGTH = 128;
const MOST_EDITS = 4;
/** `/api/<category>/<operation>`: shorter operations resemble others by chance. */
const MIN_OPERATION_LENGTH = 4;

/** Finds the path that the caller meant. The sentence contains nothing that the caller sent. */
export class UnknownPaths {
  readonly #paths: readonly string[];
  readonly #byOperation = new Map<string, string>();

  constructor(paths: readonly string[]) {
    this.#paths = paths;
    for (const path of paths) {
      const operation = operationOf(path);
      if (!this.#byOperation.has(operation)) this.#byOperation.set(operation, path);
    }
  }

  /** UNKNOWN_PATH with the nearest path. */
  failure(path: string): GatewayError {
    const nearest = this.#nearest(path);
    if (nearest === null) return new GatewayError(API_ERRORS.UNKNOWN_PATH);
    const sentence = `There is no endpoint at this path. Did you mean ${nearest}?`;
    return new GatewayError(API_ERRORS.UNKNOWN_PATH, { sentence });
  }

  #nearest(path: string): string | null {
    if (path.length > MAX_COMPARED_LENGTH || operationOf(path).length < MIN_OPERATION_LENGTH) return null;
    const close = closestName(path.replace(/\/{2,}/g, '/'), this.#paths, MOST_EDITS);
    return close ?? this.#byOperation.get(operationOf(path)) ?? null;
  }
}

/** METHOD_NOT_ALLOWED; `allowed`: the methods that the path accepts, at least one. */
export function methodNotAllowed(allowed: readonly string[]): GatewayError {
  const allow = allowed.join(', ');
  if (allow === 'POST') return new GatewayError(API_ERRORS.METHOD_NOT_ALLOWED, { allow });
  return new GatewayError(API_ERRORS.METHOD_NOT_ALLOWED, {
    allow,
    sentence: `This path accepts only ${allow}.`,
  });
}

function operationOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}
