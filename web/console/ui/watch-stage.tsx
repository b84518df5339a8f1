/** A wall on the whole window: its pictures, what can be done with them, and the alert that is forward. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useBareShell } from '../bare-shell.ts';
import { type CameraItem, shownState } from '../camera-state.ts';
import { usePageTitle } from '../page-title.ts';
import type { AlertScope } from '../wall-alerts.ts';
import { arrange, type Forward, type WallScreen } from '../wall-screens.ts';
import { t } from '../words.ts';
import { EmergencyBar } from './emergency-bar.tsx';
import { useArea } from './use-area.ts';
import { useFullScreen } from './use-full-screen.ts';
import { useIdle } from './use-idle.ts';
import { useKeys } from './use-keys.ts';
import { useTour } from './use-tour.ts';
import { useWallAlerts } from './use-wall-alerts.ts';
import { WatchAlert } from './watch-alert.tsx';
import { WatchBar } from './watch-bar.tsx';
import { stageKeys } from './watch-keys.ts';
import { WatchTiles } from './watch-tiles.tsx';

/** After this, pointer and controls are in the way of the picture. */
const IDLE_MS = 4_000;
const SCOPE_KEY = 'sluice.watch.alerts';

export interface WatchStageProps {
  readonly title: string;
  /** At least one. */
  readonly screens: readonly WallScreen[];
  readonly hiddenCameras: number;
  readonly tourSec: number;
  readonly backTo: string;
  readonly draft: readonly string[] | null;
  readonly cameras: readonly CameraItem[];
}

export function WatchStage(props: WatchStageProps) {
  const { title, screens, tourSec } = props;
  usePageTitle(title);
  useBareShell();
  useWakeLock();
  const box = useRef<HTMLDivElement>(null);
  const full = useFullScreen(box);
  const { area, measured } = useArea();
  const [scope, setScope] = useScope();
  const [alone, setAlone] = useState<string | null>(null);
  const namesKey = JSON.stringify(props.cameras.map(({ uuid, name }) => [uuid, name]));
  const names = useMemo(() => new Map(props.cameras.map(({ uuid, name }) => [uuid, name])), [namesKey]);
  const offlineKey = JSON.stringify(offlineSinceOf(props.cameras));
  const offlineSince = useMemo(() => new Map(offlineSinceOf(props.cameras)), [offlineKey]);
  const screensKey = JSON.stringify(screens);
  const onWall = useMemo(() => new Set(screens.flatMap(({ cameraUuids }) => cameraUuids)), [screensKey]);
  const alerts = useWallAlerts(scope, onWall, names);
  const { current } = alerts;
  // A new alert is more urgent than the camera that someone chose before.
  useEffect(() => {
    if (current !== null) setAlone(null);
  }, [current?.uuid]);
  const tour = useTour(screens.length, tourSec, current !== null || alone !== null);
  const isIdle = useIdle(IDLE_MS);
  const forward: Forward | null =
    alone !== null
      ? { cameraUuid: alone, kind: 'alone' }
      : current === null
        ? null
        : { cameraUuid: current.deviceUuid, kind: 'large' };
  const screen = screens[tour.page]!;
  const { heightPx, tiles } = useMemo(
    () => arrange(screen, area, forward),
    [screensKey, tour.page, area, forward?.cameraUuid, forward?.kind],
  );
  const choose = (cameraUuid: string) => {
    tour.stop();
    setAlone(alone === cameraUuid ? null : cameraUuid);
  };
  const leave = () => {
    if (alone !== null) setAlone(null);
    else if (current !== null) alerts.putBack();
    else return false;
    return true;
  };
  useKeys(t('A watched wall'), stageKeys({ screen, alone, choose, setAlone, leave, tour, full, alerts }));
  const next = screens[(tour.page + 1) % screens.length]!;
  return (
    <div ref={box} class={['watch', full.isFull && 'full', isIdle && 'idle'].filter(Boolean).join(' ')}>
      <WatchTiles
        title={title}
        screen={screen}
        soon={tour.isOn ? next.cameraUuids : NO_CAMERAS}
        measured={measured}
        heightPx={heightPx}
        doesScroll={heightPx > area.heightPx}
        tiles={tiles}
        names={names}
        offlineSince={offlineSince}
        alone={alone}
        alarmed={current?.deviceUuid ?? null}
        onChoose={choose}
      >
        {(reports) => (
          <WatchBar
            {...props}
            reports={reports}
            screen={screen}
            tour={tour}
            full={full}
            scope={scope}
            onScope={setScope}
            alone={alone === null ? null : (names.get(alone) ?? '')}
            onBack={() => setAlone(null)}
          />
        )}
      </WatchTiles>
      <WatchAlert alerts={alerts} names={names} />
      <div class="watch-emergency">
        <EmergencyBar />
      </div>
      <p class="off-screen" role="status">
        {alone === null ? '' : t('{name}, alone', { name: names.get(alone) ?? '' })}
      </p>
    </div>
  );
}

const NO_CAMERAS: readonly string[] = [];

function offlineSinceOf(
  cameras: readonly CameraItem[],
): readonly (readonly [uuid: string, sinceMs: number])[] {
  return cameras.flatMap(({ uuid, connectionDetail: detail }) =>
    detail?.offlineSinceMs !== undefined && shownState(detail) === 'offline'
      ? [[uuid, detail.offlineSinceMs] as const]
      : [],
  );
}

/** Which alerts come forward: a choice of this browser. */
function useScope(): readonly [AlertScope, (scope: AlertScope) => void] {
  const [scope, setScope] = useState<AlertScope>(() => {
    const stored = localStorage.getItem(SCOPE_KEY);
    return stored === 'all' || stored === 'none' ? stored : 'wall';
  });
  return [
    scope,
    (next) => {
      localStorage.setItem(SCOPE_KEY, next);
      setScope(next);
    },
  ];
}

/** Keeps the screen on while someone watches. Browsers release the lock when the page is hidden, and it is requested again when it returns. */
function useWakeLock(): void {
  useEffect(() => {
    // Missing on pages without TLS.
    const { wakeLock } = navigator as { wakeLock?: WakeLock };
    if (wakeLock === undefined) return;
    let lock: WakeLockSentinel | null = null;
    let isLeft = false;
    const hold = () => {
      if (document.visibilityState !== 'visible' || isLeft) return;
      wakeLock.request('screen').then(
        (held) => {
          // The page may have been left, or asked again, in the meantime.
          if (isLeft) void held.release();
          else lock = held;
        },
        // The battery is low, or the browser does not allow it: the screen turns off as usual.
        () => undefined,
      );
    };
    hold();
    document.addEventListener('visibilitychange', hold);
    return () => {
      isLeft = true;
      document.removeEventListener('visibilitychange', hold);
      void lock?.release();
    };
  }, []);
}
