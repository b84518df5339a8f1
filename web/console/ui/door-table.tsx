/** Doors as rows with the last thing that happened at each; one opens with its last events. */

import { useEffect, useState } from 'preact/hooks';
import { onChange } from '../changes.ts';
import { type Door, type DoorEvent, doorState, eventText, readDoorEvents } from '../door-list.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import type { StateFilter } from '../state-filter.ts';
import { t } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { EditDoorDialog } from './door-edit-dialog.tsx';
import { Facts } from './facts.tsx';
import { ReadingView } from './reading-view.tsx';
import { RecordTable } from './record-table.tsx';
import { duration, ExactTime, TimeAgo } from './time.tsx';

const EVENTS_OF_ONE = 50;
/** Events come in bursts. */
const GATHER_MS = 500;

export function DoorTable({
  doors,
  locationNames,
}: {
  readonly doors: readonly Door[];
  readonly locationNames: ReadonlyMap<string, string>;
}) {
  const [open, setOpen] = useState<Door | null>(null);
  return (
    <>
      <RecordTable
        name="doors"
        label={t('Doors')}
        items={doors}
        keyOf={({ uuid }) => uuid}
        states={DOOR_STATES}
        columns={[
          {
            title: t('Name'),
            cell: (door) => (
              <button type="button" class="link" onClick={() => setOpen(door)}>
                {nameOf(door)}
              </button>
            ),
          },
          { title: t('State'), cell: (door) => <StateText door={door} /> },
          { title: t('Last event'), cell: ({ uuid }) => <LastEvent doorUuid={uuid} /> },
          { title: t('Site'), cell: ({ locationUuid }) => locationNames.get(locationUuid ?? '') ?? null },
        ]}
      />
      {open !== null && <DoorDialog door={open} onClose={() => setOpen(null)} />}
    </>
  );
}

const DOOR_STATES: StateFilter<Door> = {
  states: [],
  of: (door) => doorState(door, gatewayNowMs())?.text ?? t('Not reported'),
};

function nameOf({ name, uuid }: Door): string {
  return name ?? t('Door {uuid}', { uuid: uuid.slice(0, 6) });
}

function StateText({ door }: { readonly door: Door }) {
  const state = doorState(door, gatewayNowMs());
  if (state === null) return <>{t('Not reported')}</>;
  return (
    <span class={state.isUnlocked ? 'seen hidden' : 'seen visible'}>
      {state.text}
      {state.isOverride && ` ${t('(set)')}`}
    </span>
  );
}

/** Read when its row comes near the screen, and again after something happened at any door. */
function LastEvent({ doorUuid }: { readonly doorUuid: string }) {
  const [last, setLast] = useState<DoorEvent | 'loading' | 'none' | 'failed'>('loading');
  useEffect(() => {
    let left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const read = () => {
      timer = null;
      left.abort();
      left = new AbortController();
      const { signal } = left;
      readDoorEvents(doorUuid, 1, signal).then(
        ([newest]) => setLast(newest ?? 'none'),
        () => {
          if (!signal.aborted) setLast('failed');
        },
      );
    };
    read();
    const end = onChange(({ entity }) => {
      if (entity === 'COMPONENT_EVENT') timer ??= setTimeout(read, GATHER_MS);
    });
    return () => {
      end();
      if (timer !== null) clearTimeout(timer);
      left.abort();
    };
  }, [doorUuid]);
  if (last === 'loading') return <>…</>;
  if (last === 'none') return <>{t('No event yet')}</>;
  if (last === 'failed') return <>{t('Not known')}</>;
  return (
    <>
      {eventText(last.type)}, <TimeAgo epochMs={last.timestampMs} />
    </>
  );
}

function DoorDialog({ door, onClose }: { readonly door: Door; readonly onClose: () => void }) {
  const [isEditing, setIsEditing] = useState(false);
  if (isEditing) return <EditDoorDialog door={door} name={nameOf(door)} onClose={onClose} />;
  return <ShownDoor door={door} onEdit={may('admin') ? () => setIsEditing(true) : null} onClose={onClose} />;
}

function ShownDoor({
  door,
  onEdit,
  onClose,
}: {
  readonly door: Door;
  /** Null: the person may not. */
  readonly onEdit: (() => void) | null;
  readonly onClose: () => void;
}) {
  const reading = useReading(
    (signal) => readDoorEvents(door.uuid, EVENTS_OF_ONE, signal),
    [door.uuid],
    ({ entity }) => entity === 'COMPONENT_EVENT',
  );
  const expiresAtMillis = door.doorStateOverride?.expiresAtMillis;
  const isOverridden = doorState(door, gatewayNowMs())?.isOverride ?? false;
  return (
    <Dialog title={nameOf(door)} onClose={onClose}>
      <div class="dialog-body">
        <Facts
          facts={[
            [t('State'), <StateText key="state" door={door} />],
            [
              t('Set until'),
              isOverridden && expiresAtMillis !== undefined ? (
                <ExactTime key="until" epochMs={expiresAtMillis} />
              ) : null,
            ],
            [
              t('A badge or code unlocks it for'),
              door.unlockTimeSec === undefined ? null : duration(door.unlockTimeSec),
            ],
            [
              t('Remote unlock'),
              door.remoteUnlockEnabled === undefined
                ? null
                : door.remoteUnlockEnabled
                  ? t('Allowed')
                  : t('Not allowed'),
            ],
            [t('Reported'), <ExactTime key="reported" epochMs={door.updatedAtMillis} />],
            ['UUID', <code key="uuid">{door.uuid}</code>],
          ]}
        />
        <h3>{t('Last events')}</h3>
        <ReadingView reading={reading} what={t('events')}>
          {(events) =>
            events.length === 0 ? (
              <p class="hint">{t('No event was reported yet.')}</p>
            ) : (
              <ul class="events">
                {events.map(({ uuid, type, timestampMs }) => (
                  <li key={uuid}>
                    <span>{eventText(type)}</span>
                    <TimeAgo epochMs={timestampMs} />
                  </li>
                ))}
              </ul>
            )
          }
        </ReadingView>
      </div>
      {onEdit !== null && (
        <DialogFooter>
          <button type="button" onClick={onEdit}>
            {t('Edit')}
          </button>
        </DialogFooter>
      )}
    </Dialog>
  );
}
