/**
 * Takes turns for calls that cost the gateway something, such as images: a few run in parallel, the newest
 * first.
 */

const AT_ONCE = 4;

/** The newest call runs first: it belongs to a card that is on the screen now. */
const waiting: (() => void)[] = [];
let running = 0;

/** Runs `work` when it is its turn. Fails with the signal's reason if that is aborted before. */
export async function takeTurn<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) {
    await new Promise<void>((begin) => waiting.push(begin));
  } else {
    running += 1;
  }
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    passOn();
  }
}

function passOn(): void {
  const next = waiting.pop();
  if (next === undefined) running -= 1;
  else next();
}
