/**
 * Loaded before a program (`node --import`), its wall clock is ahead of the machine's by `SHIFTED_CLOCK_MS`, also in its threads. So a
 * scene of a chosen morning is one for the gateway's own rules too: schedules, ends, and what is searched by time.
 */

const aheadMs = Number(process.env.SHIFTED_CLOCK_MS ?? 0);
const machine = Date;

class ShiftedDate extends machine {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(machine.now() + aheadMs);
    else super(...(given as [number]));
  }

  static override now(): number {
    return machine.now() + aheadMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
