/** Errors as plain values, for messages between threads. They arrive as the GatewayErrors that they were. */

import { CORE_ERRORS, type ErrorContext, type ErrorKind, GatewayError, toGatewayError } from './errors.ts';

/** An error that can be copied between threads. */
export interface WireError {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly context: ErrorContext;
  /** Message or stack of its cause; null without a cause. */
  readonly cause: string | null;
}

export function wireErrorOf(thrown: unknown): WireError {
  const { code, kind, message, context, cause } = toGatewayError(thrown);
  return { code, kind, message, context, cause: causeText(kind, cause) };
}

/** Stacks are for our own defects. */
function causeText(kind: ErrorKind, cause: unknown): string | null {
  if (cause === undefined) return null;
  if (!(cause instanceof Error)) return String(cause);
  return kind === CORE_ERRORS.INTERNAL.kind ? (cause.stack ?? cause.message) : cause.message;
}

export function errorOfWire({ code, kind, message, context, cause }: WireError): GatewayError {
  return new GatewayError({ code, kind, message }, context, cause === null ? undefined : new Error(cause));
}
