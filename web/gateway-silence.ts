/**
 * Whether the gateway answers. A gateway that hangs and a network that drops packets look alike: requests get no answer, and
 * no error. Each answer of any kind is a sign of life. After 5 s without one, the page asks once, and knows at most 10 s after
 * the last one. Pages that get media ask nothing.
 */

/** Without an answer for this long, the page asks. */
const ASK_AFTER_MS = 5_000;
/** An answer that says nothing else comes sooner, over slow networks too. */
const PATIENCE_MS = 4_000;

/** The document was an answer. */
let heardAtMs = performance.now();
let isSilent = false;
let asking: Promise<boolean> | null = null;

/** The gateway has answered something, whatever it was. */
export function noteResponse(): void {
  heardAtMs = performance.now();
  isSilent = false;
}

/** A request that began at `sinceMs` (of `performance.now`) got no answer. */
export function noteNoResponse(sinceMs: number): void {
  if (heardAtMs <= sinceMs) isSilent = true;
}

/** How long nothing was heard of it. */
export function quietMs(): number {
  return performance.now() - heardAtMs;
}

/** How long the gateway has not answered; null: it does, as far as the page knows. */
export function silentMs(): number | null {
  return isSilent ? quietMs() : null;
}

/** Whether the gateway answers at all, at `url`. One request serves all that ask at the same time. Never rejects. */
export function responds(url: string): Promise<boolean> {
  asking ??= ask(url).finally(() => {
    asking = null;
  });
  return asking;
}

/** Whether an answer to the question is awaited. */
export function isAsking(): boolean {
  return asking !== null;
}

/** Asks if nothing was heard for a while. Called about once a second by anything that expects media. */
export function listen(url: string): void {
  if (asking === null && quietMs() > ASK_AFTER_MS) void responds(url);
}

async function ask(url: string): Promise<boolean> {
  const sinceMs = performance.now();
  try {
    await fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    noteResponse();
  } catch {
    noteNoResponse(sinceMs);
  }
  return !isSilent;
}
