/** Dialogs that act on several cameras, with progress and result for each camera, and failures by name. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { probeCamera } from '../camera-adding.ts';
import { cameraPlace } from '../camera-places.ts';
import type { CameraItem } from '../camera-state.ts';
import { eachInTurn, type Progress, patiently } from '../in-turn.ts';
import { t } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { probeLine } from './probe-view.tsx';

/** As many parallel probes as the gateway makes for one organization. */
const CHECKS_AT_ONCE = 2;
export const CHANGES_AT_ONCE = 4;

export interface BulkProps {
  readonly cameras: readonly CameraItem[];
  readonly onClose: () => void;
}

/** Progress of a run of `start`, by camera. The run ends when the dialog closes. */
export function useBulk<Result>() {
  const [progress, setProgress] = useState<ReadonlyMap<string, Progress<Result>>>(new Map());
  const left = useRef<AbortController | null>(null);
  useEffect(() => () => left.current?.abort(), []);
  return {
    progress,
    start: async (
      cameras: readonly CameraItem[],
      atOnce: number,
      work: (camera: CameraItem, signal: AbortSignal) => Promise<Result>,
    ) => {
      left.current?.abort();
      const running = new AbortController();
      left.current = running;
      const { signal } = running;
      await eachInTurn(
        cameras,
        { atOnce, signal },
        (camera) => patiently(signal, () => work(camera, signal)),
        ({ uuid }, state) => setProgress((old) => new Map(old).set(uuid, state)),
      );
    },
  };
}

/** One line for each camera. `text`: describes its result. */
export function BulkResults<Result>({
  cameras,
  progress,
  text,
}: {
  readonly cameras: readonly CameraItem[];
  readonly progress: ReadonlyMap<string, Progress<Result>>;
  readonly text: (result: Result) => ComponentChildren;
}) {
  const states = [...progress.values()];
  const ended = states.filter(({ kind }) => kind === 'done' || kind === 'failed').length;
  const failures = states.filter(({ kind }) => kind === 'failed').length;
  return (
    <>
      <p role="status">
        {failures === 0
          ? t('{ended} of {count} done.', { ended, count: cameras.length })
          : t('{ended} of {count} done, {failures} failed.', { ended, count: cameras.length, failures })}
      </p>
      <progress max={cameras.length} value={ended} aria-label={t('Progress')} />
      <ul class="camera-results">
        {cameras.map(({ uuid, name }) => {
          const state = progress.get(uuid) ?? { kind: 'waiting' };
          return (
            <li key={uuid} aria-label={name}>
              <a class="break" href={cameraPlace(uuid)}>
                {name}
              </a>
              <span class={`break ${state.kind === 'failed' ? 'trouble' : 'hint'}`}>
                {state.kind === 'waiting' && t('Waits for its turn')}
                {state.kind === 'running' && t('Working…')}
                {state.kind === 'failed' && state.error.message}
                {state.kind === 'done' && text(state.result)}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

export function countText(count: number): string {
  return t('{count, plural, one {# camera} other {# cameras}}', { count });
}

/** Opens each camera once. */
export function BulkCheckDialog({ cameras, onClose }: BulkProps) {
  const [taken] = useState(cameras);
  const { progress, start } = useBulk<Awaited<ReturnType<typeof probeCamera>>>();
  useEffect(() => {
    void start(taken, CHECKS_AT_ONCE, ({ uuid }, signal) =>
      probeCamera({ cameraUuid: uuid, withSnapshot: false }, signal),
    );
  }, []);
  return (
    <Dialog
      title={t('Check {count, plural, one {# camera} other {# cameras}}', { count: taken.length })}
      onClose={onClose}
    >
      <div class="dialog-body">
        <BulkResults
          cameras={taken}
          progress={progress}
          text={(report) => (
            <>
              <b class={report.main.works ? '' : 'trouble'}>{probeLine(report)}</b>{' '}
              {report.main.works
                ? report.advice.map(({ sentence }) => sentence).join(' ')
                : `${report.main.errorSentence ?? ''} ${report.main.errorAdvice ?? ''}`}
            </>
          )}
        />
      </div>
      <Close onClose={onClose} />
    </Dialog>
  );
}

/** Of a dialog whose work is done, or continues without it. */
export function Close({ onClose }: { readonly onClose: () => void }) {
  return <DialogFooter back={t('Close')} onBack={onClose} />;
}
