/** What can be done with a watched wall. It fades while no one moves anything. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { TileReport } from '../../wall-message.ts';
import { alertSignals, isSoundBlocked, turnSignal } from '../alert-signals.ts';
import { staleSinceEpochMs } from '../changes.ts';
import { may } from '../session.ts';
import { ALERT_SCOPES, type AlertScope } from '../wall-alerts.ts';
import { withoutVideo } from '../wall-frame.ts';
import { MAX_WALL_CAMERAS, saveWall } from '../wall-list.ts';
import type { WallScreen } from '../wall-screens.ts';
import { watchPlace } from '../wall-source.ts';
import { t, tRich } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { Icon, type IconName } from './icon.tsx';
import { optionsOf, Select } from './select.tsx';
import { TimeSince } from './time.tsx';
import type { FullScreen } from './use-full-screen.ts';
import type { Tour } from './use-tour.ts';
import { turn } from './watch-keys.ts';
import type { WatchStageProps } from './watch-stage.tsx';

const MAX_NAME_LENGTH = 256;

export function WatchBar({
  screens,
  hiddenCameras,
  backTo,
  draft,
  reports,
  screen,
  tour,
  full,
  scope,
  onScope,
  alone,
  onBack,
}: WatchStageProps & {
  readonly reports: readonly TileReport[];
  readonly screen: WallScreen;
  readonly tour: Tour;
  readonly full: FullScreen;
  readonly scope: AlertScope;
  readonly onScope: (scope: AlertScope) => void;
  /** Name of the camera that is alone on the screen; null: none is. */
  readonly alone: string | null;
  readonly onBack: () => void;
}) {
  const [isSaving, setIsSaving] = useState(false);
  const hasSound = alertSignals.sound.value;
  const canSave = draft !== null && may('operator') && draft.length <= MAX_WALL_CAMERAS;
  return (
    <header class="watch-bar">
      {alone === null ? (
        <a class="button watch-button" href={backTo} aria-label={t('Leave')} title={t('Leave')}>
          <Icon name="left" />
        </a>
      ) : (
        <WatchButton icon="grid" label={t('Back to all cameras')} keys="Escape" onClick={onBack} />
      )}
      <div class="watch-title">
        <h1>{alone ?? screen.title}</h1>
        <p role="status">
          <Summary screen={screen} reports={reports} hiddenCameras={hiddenCameras} />
        </p>
      </div>
      <div class="watch-deeds">
        {screens.length > 1 && <Pages pages={screens.length} tour={tour} />}
        {canSave && (
          <button type="button" class="watch-button" onClick={() => setIsSaving(true)}>
            {t('Save as a wall')}
          </button>
        )}
        <Select
          label={t('Alerts that come forward')}
          value={scope}
          options={optionsOf(Object.entries(ALERT_SCOPES) as [AlertScope, string][])}
          onValue={onScope}
        />
        <WatchButton
          icon={hasSound ? 'sound' : 'silent'}
          label={hasSound ? t('Sound of alerts is on') : t('Sound of alerts is off')}
          isPressed={hasSound}
          onClick={() => turnSignal('sound', !hasSound)}
        />
        <WatchButton
          icon={full.isFull ? 'smaller' : 'fullscreen'}
          label={full.isFull ? t('Leave full screen') : t('Full screen')}
          keys="f"
          onClick={full.toggle}
        />
      </div>
      {hasSound && isSoundBlocked.value && (
        <p class="watch-hint">{t('Press anywhere to hear alerts: until then, the browser blocks sound.')}</p>
      )}
      {isSaving && draft !== null && <SaveDialog cameraUuids={draft} onClose={() => setIsSaving(false)} />}
    </header>
  );
}

function Summary({
  screen,
  reports,
  hiddenCameras,
}: {
  readonly screen: WallScreen;
  readonly reports: readonly TileReport[];
  readonly hiddenCameras: number;
}) {
  const sinceEpochMs = staleSinceEpochMs.value;
  const count = screen.cameraUuids.length;
  const bad = withoutVideo(reports);
  return (
    <>
      {bad === 0
        ? t('{count, plural, one {# camera} other {# cameras}}', { count })
        : t('{count, plural, one {# camera} other {# cameras}}, {bad} without live video', { count, bad })}
      {hiddenCameras > 0 && (
        <>
          {' · '}
          {t('{count} more that you may not see', { count: hiddenCameras })}
        </>
      )}
      {sinceEpochMs !== null && (
        <>
          {' · '}
          <span class="watch-stale">
            {tRich('The gateway has not answered for {time}', { time: <TimeSince epochMs={sinceEpochMs} /> })}
          </span>
        </>
      )}
    </>
  );
}

function Pages({ pages, tour }: { readonly pages: number; readonly tour: Tour }) {
  return (
    <span class="watch-pages" role="group" aria-label={t('Pages')}>
      <WatchButton icon="left" label={t('Previous page')} keys="PageUp" onClick={() => turn(tour, -1)} />
      <span>{t('{page} of {pages}', { page: tour.page + 1, pages })}</span>
      <WatchButton icon="right" label={t('Next page')} keys="PageDown" onClick={() => turn(tour, 1)} />
      <WatchButton
        icon={tour.isOn ? 'pause' : 'play'}
        label={tour.isOn ? t('Stop the tour') : t('Start the tour')}
        keys="t"
        onClick={tour.toggle}
      />
    </span>
  );
}

export function WatchButton({
  icon,
  label,
  keys,
  isPressed,
  onClick,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
  readonly isPressed?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      class="watch-button only-icon"
      aria-label={label}
      title={keys?.length === 1 ? `${label} (${keys.toUpperCase()})` : label}
      {...(keys === undefined ? {} : { 'aria-keyshortcuts': keys })}
      {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function SaveDialog({
  cameraUuids,
  onClose,
}: {
  readonly cameraUuids: readonly string[];
  readonly onClose: () => void;
}) {
  const count = cameraUuids.length;
  const { route } = useLocation();
  const [name, setName] = useState(() =>
    t('{count, plural, one {Wall of # camera} other {Wall of # cameras}}', { count }),
  );
  return (
    <FormDialog
      title={t('Save as a wall')}
      submit={t('Save wall')}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        const uuid = await saveWall(null, { name: name.trim(), deviceList: cameraUuids });
        onClose();
        route(watchPlace({ kind: 'walls', uuids: [uuid] }), true);
      }}
      onClose={onClose}
    >
      <TextField label={t('Name')} isRequired maxLength={MAX_NAME_LENGTH} value={name} onValue={setName} />
    </FormDialog>
  );
}
