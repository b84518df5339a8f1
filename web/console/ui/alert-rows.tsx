/** Alerts as rows with the camera's frame. */

import { alertTitle, type NamedDevices, type PolicyAlert, triggerText } from '../alert-list.ts';
import { type KeyDeed, pressed } from '../key-board.ts';
import { may, session } from '../session.ts';
import { t, tRich } from '../words.ts';
import { AlertImage } from './alert-still.tsx';
import { Icon } from './icon.tsx';
import { MoreMenu } from './more-menu.tsx';
import { duration, TimeAgo } from './time.tsx';
import { usePartKeys } from './use-keys.ts';
import { useNarrow } from './use-narrow.ts';
import { VirtualRows } from './virtual-rows.tsx';

const WIDE_ROW_PX = 124;
const NARROW_ROW_PX = 164;

/** Null: the person's role does not allow it. */
export interface AlertActions {
  readonly save: ((alert: PolicyAlert) => void) | null;
  readonly handle: {
    readonly withNote: (alert: PolicyAlert) => void;
    readonly atOnce: (alert: PolicyAlert) => void;
    readonly take: (alert: PolicyAlert) => void;
    readonly release: (alert: PolicyAlert) => void;
  } | null;
  readonly play: (alert: PolicyAlert) => void;
  /** Opens cameras to a partner. */
  readonly openEmergency: ((alert: PolicyAlert) => void) | null;
}

/** They act on the row that has the focus, or in which it is. */
function alertKeys(alerts: readonly PolicyAlert[], { handle }: AlertActions): readonly KeyDeed[] {
  const step = (by: 1 | -1) => () => {
    const row = focusedRow();
    if (row === null) return false;
    beside(row, by)?.focus();
    return true;
  };
  const onOpenAlert = (deed: (alert: PolicyAlert, row: HTMLElement) => void) => () => {
    const row = focusedRow();
    const alert = alerts.find(({ uuid }) => uuid === row?.dataset.alert);
    if (row === null || alert === undefined || alert.acknowledgement !== undefined) return false;
    deed(alert, row);
    return true;
  };
  const keys: KeyDeed[] = [
    { keys: ['ArrowDown'], title: t('The next alert'), act: step(1) },
    { keys: ['ArrowUp'], title: t('The alert before'), act: step(-1) },
  ];
  if (handle === null) return keys;
  const acknowledge = (alert: PolicyAlert, row: HTMLElement): void => {
    handle.atOnce(alert);
    focusBeside(row);
  };
  return [
    ...keys,
    { keys: ['a'], title: t('Acknowledge the alert'), act: onOpenAlert(acknowledge) },
    { keys: ['t'], title: t('Say that you are on it'), act: onOpenAlert((alert) => handle.take(alert)) },
  ];
}

function focusedRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-alert]') ?? null;
}

/** The row may go: then the next one is chosen. */
function focusBeside(row: HTMLElement): void {
  (beside(row, 1) ?? beside(row, -1))?.focus();
}

function beside(row: HTMLElement, step: 1 | -1): HTMLElement | null {
  const rows = [...(row.closest('.alerts')?.querySelectorAll<HTMLElement>('[data-alert]') ?? [])];
  return rows[rows.indexOf(row) + step] ?? null;
}

export function AlertRows({
  alerts,
  names,
  locationNames,
  arrived,
  actions,
}: {
  readonly alerts: readonly PolicyAlert[];
  readonly names: NamedDevices;
  readonly locationNames: ReadonlyMap<string, string>;
  /** UUIDs of those that came while the page is open. */
  readonly arrived: ReadonlySet<string>;
  readonly actions: AlertActions;
}) {
  const isNarrow = useNarrow();
  const keys = alertKeys(alerts, actions);
  usePartKeys(t('An alert'), keys);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys act on the chosen row
    <div
      class="alerts"
      onKeyDown={(event) => {
        if (pressed(keys, event)) event.preventDefault();
      }}
    >
      <VirtualRows
        count={alerts.length}
        rowPx={isNarrow ? NARROW_ROW_PX : WIDE_ROW_PX}
        role="list"
        render={(index) => {
          const alert = alerts[index]!;
          return (
            <AlertRow
              key={alert.uuid}
              alert={alert}
              device={names.deviceNames.get(alert.deviceUuid) ?? null}
              isCamera={names.cameraUuids.has(alert.deviceUuid)}
              place={locationNames.get(alert.locationUuid ?? '') ?? null}
              isNew={arrived.has(alert.uuid)}
              actions={actions}
            />
          );
        }}
      />
    </div>
  );
}

function AlertRow({
  alert,
  device,
  isCamera,
  place,
  isNew,
  actions,
}: {
  readonly alert: PolicyAlert;
  readonly device: string | null;
  readonly isCamera: boolean;
  readonly place: string | null;
  readonly isNew: boolean;
  readonly actions: AlertActions;
}) {
  const title = alertTitle(alert);
  const { save, handle, play, openEmergency } = actions;
  const { acknowledgement, taking } = alert;
  const isYours = acknowledgement?.actorUuid === session.value?.person.personUuid;
  const { durationSec, policyAlertTriggers = [], textDescription = '' } = alert;
  return (
    <div
      class={isNew ? 'alert new' : 'alert'}
      role="listitem"
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys act on the chosen row
      tabIndex={0}
      data-alert={alert.uuid}
    >
      <div class="alert-picture">
        <AlertImage alert={alert} isCamera={isCamera} />
        {isCamera && (
          <button type="button" onClick={() => play(alert)} aria-label={t('Play: {title}', { title })}>
            <Icon name="play" />
          </button>
        )}
      </div>
      <div class="alert-text">
        <h2 title={title}>
          {isNew && <span class="badge new">{t('New')}</span>}
          {title}
        </h2>
        <p>{[device ?? t('A device that was removed'), place].filter((part) => part !== null).join(' · ')}</p>
        <p>
          <TimeAgo epochMs={alert.timestampMs} />
          {durationSec !== undefined && ` · ${t('lasted {duration}', { duration: duration(durationSec) })}`}
          {alert.clipLocation !== undefined && ` · ${t('has a clip')}`}
          {textDescription !== '' && policyAlertTriggers.length > 0 && (
            <span class="triggers"> · {policyAlertTriggers.map(triggerText).join(', ')}</span>
          )}
        </p>
        {acknowledgement === undefined && taking !== undefined && (
          <p class="taken">
            {taking.actorUuid === session.value?.person.personUuid
              ? tRich('You are on it, since {time}', { time: <TimeAgo epochMs={taking.timestampMs} /> })
              : tRich('{person} is on it, since {time}', {
                  person: taking.actorName,
                  time: <TimeAgo epochMs={taking.timestampMs} />,
                })}
          </p>
        )}
        {acknowledgement !== undefined && (
          <p class="seen-to" title={acknowledgement.note}>
            {tRich('Acknowledged by {person} {time}', {
              person: acknowledgement.actorName,
              time: <TimeAgo epochMs={acknowledgement.timestampMs} />,
            })}
            {acknowledgement.note !== '' && `: ${acknowledgement.note}`}
          </p>
        )}
      </div>
      <div class="alert-actions">
        {alert.saved && <span class="badge">{t('Saved')}</span>}
        {handle !== null && acknowledgement === undefined && (
          <button
            type="button"
            onClick={() => handle.withNote(alert)}
            aria-label={`${t('Acknowledge')}: ${title}`}
          >
            {t('Acknowledge')}
          </button>
        )}
        {(save !== null || (handle !== null && (acknowledgement === undefined || isYours))) && (
          <MoreMenu label={t('More for {title}', { title })}>
            {handle !== null && acknowledgement === undefined && <TakeButton alert={alert} handle={handle} />}
            {handle !== null && acknowledgement !== undefined && isYours && (
              <button type="button" onClick={() => handle.withNote(alert)}>
                {t('Note')}
              </button>
            )}
            {openEmergency !== null && (
              <button type="button" onClick={() => openEmergency(alert)}>
                {t('Open to emergency partner')}
              </button>
            )}
            {save !== null && (
              <button type="button" onClick={() => save(alert)}>
                {alert.saved ? t('Change note') : t('Save with a note')}
              </button>
            )}
          </MoreMenu>
        )}
      </div>
    </div>
  );
}

/** Others see who looks after the alert; the same person or an administrator can undo it. */
function TakeButton({
  alert,
  handle,
}: {
  readonly alert: PolicyAlert;
  readonly handle: NonNullable<AlertActions['handle']>;
}) {
  const { taking } = alert;
  if (taking === undefined) {
    return (
      <button type="button" onClick={() => handle.take(alert)}>
        {t('I’m on it')}
      </button>
    );
  }
  const isYours = taking.actorUuid === session.value?.person.personUuid;
  if (!isYours && !may('admin')) return null;
  return (
    <button type="button" onClick={() => handle.release(alert)}>
      {t('Leave it to others')}
    </button>
  );
}
