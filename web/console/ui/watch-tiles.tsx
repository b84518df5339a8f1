/** The pictures of a watched wall: one frame that plays all of them, and over it a button for each. */

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TileReport } from '../../wall-message.ts';
import { inThisLanguage } from '../../words/choices.ts';
import { session } from '../session.ts';
import { stateWords, WallFrame } from '../wall-frame.ts';
import { WallGrants } from '../wall-grants.ts';
import type { PlacedCamera, WallScreen } from '../wall-screens.ts';
import { t } from '../words.ts';

/** The frame says something every second. */
const SILENT_MS = 15_000;
const LOOK_MS = 5_000;

export function WatchTiles({
  title,
  screen,
  soon,
  measured,
  heightPx,
  doesScroll,
  tiles,
  names,
  offlineSince,
  alone,
  alarmed,
  onChoose,
  children,
}: {
  readonly title: string;
  readonly screen: WallScreen;
  /** Cameras of the next page, which is about to be shown. */
  readonly soon: readonly string[];
  readonly measured: (element: HTMLElement | null) => void;
  readonly heightPx: number;
  /** They are higher than the screen. */
  readonly doesScroll: boolean;
  readonly tiles: readonly PlacedCamera[];
  readonly names: ReadonlyMap<string, string>;
  /** Of cameras that the gateway cannot reach, epoch milliseconds. */
  readonly offlineSince: ReadonlyMap<string, number>;
  readonly alone: string | null;
  /** The camera of the alert that is forward. */
  readonly alarmed: string | null;
  readonly onChoose: (cameraUuid: string) => void;
  readonly children: (reports: readonly TileReport[]) => ComponentChildren;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { reports, grants, isSilent, loads } = useWall(frame, { screen, soon, tiles, names, offlineSince });
  const stateOf = new Map(reports.map(({ id, state }) => [id, state]));
  return (
    <>
      {children(reports)}
      <div class={doesScroll ? 'watch-area scrolls' : 'watch-area'} ref={measured}>
        <div class="watch-wall" style={{ height: `${heightPx}px` }}>
          <iframe
            key={loads}
            ref={frame}
            class="watch-frame"
            src={inThisLanguage(`${session.value!.publicMediaUrl.replace(/\/$/, '')}/preview/wall`)}
            title={t('Cameras of {name}', { name: title })}
            allow="autoplay"
            tabIndex={-1}
          />
          {tiles.map(({ cameraUuid, x, y, width, height }) => {
            const grant = grants.of(cameraUuid);
            const name = names.get(cameraUuid) ?? t('Removed camera');
            const isAlone = alone === cameraUuid;
            const state = stateWords(stateOf.get(cameraUuid), offlineSince.get(cameraUuid));
            const number = screen.cameraUuids.indexOf(cameraUuid) + 1;
            return (
              <div
                key={cameraUuid}
                class={alarmed === cameraUuid ? 'watch-place alarmed' : 'watch-place'}
                style={{ left: percent(x), top: percent(y), width: percent(width), height: percent(height) }}
              >
                <button
                  type="button"
                  class="watch-tile"
                  aria-label={
                    isAlone
                      ? t('{name}. {state}. Back to all cameras', { name, state })
                      : t('{name}. {state}. Bring forward', { name, state })
                  }
                  aria-pressed={isAlone}
                  {...(number >= 1 && number <= 9 ? { 'aria-keyshortcuts': String(number) } : {})}
                  onClick={() => onChoose(cameraUuid)}
                />
                {grant.kind === 'failed' && (
                  <p class="watch-failed">
                    <b>{name}</b>
                    <span>{grant.error.message}</span>
                  </p>
                )}
              </div>
            );
          })}
        </div>
        {isSilent && (
          <p class="watch-silent" role="alert">
            {t('The player does not answer. It is loaded from {address}.', {
              address: new URL(session.value!.publicMediaUrl).host,
            })}
          </p>
        )}
      </div>
    </>
  );
}

function percent(fraction: number): string {
  return `${fraction * 100}%`;
}

interface Played {
  readonly screen: WallScreen;
  readonly soon: readonly string[];
  readonly tiles: readonly PlacedCamera[];
  readonly names: ReadonlyMap<string, string>;
  readonly offlineSince: ReadonlyMap<string, number>;
}

/** Keeps the frame up to date: what it plays, and with which grants. `loads`: raised to load it again. */
function useWall(
  frame: { readonly current: HTMLIFrameElement | null },
  { screen, soon, tiles, names, offlineSince }: Played,
) {
  const [granted, setGranted] = useState(0);
  const [loads, setLoads] = useState(0);
  const [isSilent, setIsSilent] = useState(false);
  const [reports, setReports] = useState<readonly TileReport[]>([]);
  const wall = useRef<WallFrame | null>(null);
  const grants = useMemo(() => new WallGrants(() => setGranted((known) => known + 1)), []);
  useEffect(() => () => grants.close(), []);
  const wanted = [...new Set([...tiles.map(({ cameraUuid }) => cameraUuid), ...screen.cameraUuids, ...soon])];
  useEffect(() => grants.want(wanted), [wanted.join()]);
  useEffect(() => {
    const opened = new WallFrame(frame.current!, (told) => {
      for (const { id, isRefused, grant } of told) if (isRefused) grants.replace(id, grant);
    });
    wall.current = opened;
    const unsubscribe = opened.reports.subscribe(setReports);
    const sinceMs = performance.now();
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      const quietMs = performance.now() - (opened.heardAtMs ?? sinceMs);
      setIsSilent(quietMs > SILENT_MS);
      if (quietMs > 2 * SILENT_MS) setLoads((known) => known + 1);
    }, LOOK_MS);
    return () => {
      clearInterval(timer);
      unsubscribe();
      opened.close();
    };
  }, [loads]);
  useEffect(() => {
    const sent = tiles.flatMap(({ cameraUuid, ...place }) => {
      const grant = grants.of(cameraUuid);
      if (grant.kind !== 'open') return [];
      const number = screen.cameraUuids.indexOf(cameraUuid) + 1;
      const name = names.get(cameraUuid) ?? '';
      return {
        id: cameraUuid,
        grant: grant.grant,
        name,
        offlineSinceMs: offlineSince.get(cameraUuid) ?? null,
        number: number > 9 ? 0 : number,
        ...place,
      };
    });
    wall.current?.show(sent);
  }, [tiles, screen, names, offlineSince, granted, loads]);
  return { reports, grants, isSilent, loads };
}
