/**
 * The gateway's only error type. Each domain declares its codes in a registry (`defineErrors`) next to its code;
 * `docs/reference/errors.md` lists the same codes, and a test keeps the two in sync.
 */

/** Closed set: what went wrong, from the point of view of the code or person that must respond. */
export type ErrorKind =
  | 'invalid-input' // the caller sent something we cannot accept
  | 'unauthenticated' // no or unknown credentials
  | 'not-allowed' // known caller, refused by a rule
  | 'not-found'
  | 'conflict' // state of the resource forbids it
  | 'rate-limited'
  | 'unavailable' // may work later; answers carry Retry-After
  | 'peer-protocol' // a camera, NVR or worker violated its protocol
  | 'peer-refused' // a camera, NVR or worker said no
  | 'timeout'
  | 'limit' // a named limit was reached
  | 'internal'; // a bug of ours

/** One entry of a registry. `message` is a constant sentence; data goes into the error's context. */
export interface ErrorDefinition {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
}

/** Turns `{ CODE: { kind, message } }` into definitions that know their own code. */
export function defineErrors<const T extends Record<string, { kind: ErrorKind; message: string }>>(
  entries: T,
): { readonly [K in keyof T & string]: ErrorDefinition & { readonly code: K } } {
  const registry: Record<string, ErrorDefinition> = {};
  for (const [code, entry] of Object.entries(entries)) {
    registry[code] = Object.freeze({ code, kind: entry.kind, message: entry.message });
  }
  return Object.freeze(registry) as { [K in keyof T & string]: ErrorDefinition & { readonly code: K } };
}

/** Data that helps find the cause: no credentials, no buffers, nothing a viewer must not see in a log. */
export type ErrorContext = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Every failure that crosses a boundary inside the gateway is one of these. */
export class GatewayError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly context: ErrorContext;

  constructor(definition: ErrorDefinition, context: ErrorContext = {}, cause?: unknown) {
    super(definition.message, cause === undefined ? undefined : { cause });
    this.name = 'GatewayError';
    this.kind = definition.kind;
    this.code = definition.code;
    this.context = context;
  }
}

/** Codes that do not belong to a single domain. */
export const CORE_ERRORS = defineErrors({
  INTERNAL: { kind: 'internal', message: 'The gateway failed internally.' },
});

/** Wraps a library's error; a GatewayError passes unchanged. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError ? thrown : new GatewayError(CORE_ERRORS.INTERNAL, {}, thrown);
}
