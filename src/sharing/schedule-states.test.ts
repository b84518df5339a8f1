import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import { sampleAbsoluteSchedule, sampleWeeklySchedule } from '../store/sample-entities-fixture.ts';
import { scheduleStateAt } from './schedule-state.ts';
import { ScheduleStates } from './schedule-states.ts';

const NOW_SEC = 1_770_000_000;

it('says what the schedule says, in whatever order it is asked', () => {
  const orgUuid = newRuuid();
  const schedules = [
    sampleWeeklySchedule(orgUuid),
    sampleAbsoluteSchedule(orgUuid, { intervals: [{ startSec: NOW_SEC, stopSec: NOW_SEC + 3_600 }] }),
  ];
  const question = fc.record({
    index: fc.nat(1),
    timeZone: fc.constantFrom('UTC', 'America/New_York', 'Mars/Base'),
    epochMs: fc.integer({ min: (NOW_SEC - 900_000) * 1_000, max: (NOW_SEC + 900_000) * 1_000 }),
  });
  const property = fc.property(fc.array(question, { maxLength: 40 }), (questions) => {
    const states = new ScheduleStates();
    for (const { index, timeZone, epochMs } of questions) {
      const schedule = schedules[index]!;
      const [known, right] = [
        states.at(schedule, timeZone, epochMs),
        scheduleStateAt(schedule, timeZone, epochMs),
      ];
      // A state that was computed earlier may look further than the zone's next change of offset.
      expect(known?.isInside).toBe(right?.isInside);
      expect(known?.changesAtEpochMs).toBe(right?.changesAtEpochMs);
    }
  });
  fc.assert(property, randomRuns(100));
});
