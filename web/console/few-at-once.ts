/** Turns for calls that cost the gateway something, such as pictures: a few run at once, the newest wish first. */

const AT_ONCE = 4;

/** Of the cards on the screen, those that came last are looked at. */
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
