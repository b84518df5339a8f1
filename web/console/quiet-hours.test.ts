import { describe, expect, it } from 'vitest';
import './page-address-fixture.ts';
import { choiceOf, EVERYTHING } from './notice-choice.ts';
import { framesOf, nextQuiet, weekOfFrames } from './quiet-hours.ts';
import { ALWAYS, NEVER, paintTimes } from './week.ts';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const DAYTIME = paintTimes(NEVER, EVERY_DAY, 6 * 60, 22 * 60, true);
const ZONE = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);

describe('the time frames of a week', () => {
  it('are one for days with the same times, and give the same week', () => {
    const frames = framesOf(DAYTIME, [], EVERYTHING);
    expect(frames).toEqual([
      {
        days: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
        mediums: ['APP', 'BROWSER'],
        interval: { minuteOfDayStartInclusive: 360, minuteOfDayStopExclusive: 1_320 },
      },
    ]);
    expect(weekOfFrames(frames)).toEqual(DAYTIME);
  });

  it('keep those of other services, and how and about what ours are', () => {
    const sms = { mediums: ['SMS' as const], days: ['MONDAY' as const] };
    const rows = [{ activities: ['PERSON'] }];
    const known = [sms, { mediums: ['APP' as const], rows }];
    const frames = framesOf(DAYTIME, known, choiceOf(known));
    expect(frames).toMatchObject([sms, { mediums: ['APP'], rows }]);
    expect(weekOfFrames([sms])).toEqual(NEVER);
  });

  it('are always until they are set, and never if there are none', () => {
    expect(weekOfFrames(undefined)).toEqual(ALWAYS);
    expect(weekOfFrames([])).toEqual(NEVER);
    expect(weekOfFrames([{}])).toEqual(ALWAYS);
    expect(weekOfFrames([{ interval: { dayOfWeek: 2 } }])).toEqual([{ start: 1_440, stop: 2_880 }]);
  });
});

describe('the next quiet time', () => {
  it('is the one that comes, or the one that is now', () => {
    expect(nextQuiet(DAYTIME, ZONE, at('2026-11-30T12:00:00+01:00'))).toEqual({
      fromMs: at('2026-11-30T22:00:00+01:00'),
      toMs: at('2026-12-01T06:00:00+01:00'),
    });
    expect(nextQuiet(DAYTIME, ZONE, at('2026-11-30T23:00:00+01:00'))).toEqual({
      fromMs: null,
      toMs: at('2026-12-01T06:00:00+01:00'),
    });
  });

  it('ends by the clock on the wall, also when that is set', () => {
    // On 25 October at 3:00, it is 2:00 again.
    expect(nextQuiet(DAYTIME, ZONE, at('2026-10-24T12:00:00+02:00'))?.toMs).toBe(
      at('2026-10-25T06:00:00+01:00'),
    );
  });

  it('is none if there is always or never quiet', () => {
    expect(nextQuiet(ALWAYS, ZONE, 0)).toBeNull();
    expect(nextQuiet(NEVER, ZONE, 0)).toEqual({ fromMs: null, toMs: null });
  });
});
