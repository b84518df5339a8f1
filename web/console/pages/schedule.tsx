/** One schedule: its week, to paint; when it changes next; what uses it. Also a new one. */

import { useRoute } from 'preact-iso';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import type { ScheduleItem } from '../schedule-now.ts';
import { DEFAULT_TIME_ZONE, listZones, type OtherUses, readOtherUses } from '../schedule-state.ts';
import { may } from '../session.ts';
import type { ShareItem } from '../share-item.ts';
import { SCHEDULES_PLACE } from '../share-places.ts';
import { concernsShares, findShares, MAX_ROWS, readSchedules } from '../share-state.ts';
import { Notice } from '../ui/notice.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { FixedSchedule, ScheduleEditor } from '../ui/schedule-editor.tsx';
import { t, tRich } from '../words.ts';

/** In place of a UUID. */
const NEW = 'new';

interface ScheduleRead {
  /** Null: a new one. */
  readonly schedule: ScheduleItem | null;
  /** The first of those that use it. */
  readonly shares: readonly ShareItem[];
  readonly shareCount: number;
  readonly uses: OtherUses;
  /** Zones in which it counts; if nothing uses it, those of all locations. At least one. */
  readonly timeZones: readonly string[];
}

const NOTHING = { shares: [], shareCount: 0 };
const NO_USES: OtherUses = { policyNames: [], doors: 0, rules: 0 };

export function SchedulePage() {
  const { params } = useRoute();
  const uuid = params.scheduleUuid ?? NEW;
  const reading = useReading((signal) => readSchedule(uuid, signal), [uuid], concernsShares);
  return (
    <ReadingView reading={reading} what={t('the schedule')} title={t('Schedule')}>
      {(read) => (read === null ? <Gone /> : <Shown key={uuid} read={read} refresh={reading.refresh} />)}
    </ReadingView>
  );
}

function Shown({ read, refresh }: { readonly read: ScheduleRead; readonly refresh: () => void }) {
  const { schedule } = read;
  const title = schedule?.name ?? t('New schedule');
  usePageTitle(title);
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
      </div>
      {schedule === null || schedule.strategy === 'WEEKLY_REPEATING_MINUTES' ? (
        <ScheduleEditor
          {...read}
          schedule={schedule}
          isReadOnly={!may('operator') || schedule?.mutable === false}
          onSaved={refresh}
        />
      ) : (
        <FixedSchedule {...read} schedule={schedule} />
      )}
    </>
  );
}

function Gone() {
  return (
    <Notice title={t('There is no such schedule')}>
      <p>
        {tRich('It was deleted, or the address is wrong. <link>See all schedules</link>', {
          link: (text) => <a href={SCHEDULES_PLACE}>{text}</a>,
        })}
      </p>
    </Notice>
  );
}

/** Null: there is none with this UUID. */
async function readSchedule(uuid: string, signal: AbortSignal): Promise<ScheduleRead | null> {
  const isNew = uuid === NEW;
  const [schedules, zones, used] = await Promise.all([
    readSchedules(signal),
    listZones(signal),
    isNew ? { items: [], total: 0 } : findShares({ scheduleUuid: uuid }, 0, MAX_ROWS, signal),
  ]);
  const allZones = [...new Set(zones.map(({ tz }) => tz))];
  if (isNew) return { schedule: null, ...NOTHING, uses: NO_USES, timeZones: orDefault(allZones) };
  const schedule = schedules.get(uuid);
  if (schedule === undefined) return null;
  const usedZones = [...new Set(used.items.flatMap(({ timeZones }) => timeZones))];
  return {
    schedule,
    shares: used.items,
    shareCount: used.total,
    uses: await readOtherUses(schedule, signal),
    timeZones: orDefault(usedZones.length === 0 ? allZones : usedZones),
  };
}

function orDefault(zones: readonly string[]): readonly string[] {
  return zones.length === 0 ? [DEFAULT_TIME_ZONE] : zones;
}
