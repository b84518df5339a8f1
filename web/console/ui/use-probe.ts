/** Trying a camera once: one at a time, and never after the page was left. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, type Request } from '../api.ts';
import { type ProbeReport, probeCamera, type SourceFields } from '../camera-adding.ts';

type Tried = SourceFields & Pick<Request<'camera/probeCamera'>, 'cameraUuid' | 'withSnapshot' | 'isBrief'>;

export type ProbeState =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly tried: string; readonly report: ProbeReport }
  | { readonly kind: 'failed'; readonly error: CallError };

export interface Probe {
  readonly state: ProbeState;
  /** The report, if it is about exactly this. */
  readonly reportOf: (source: Tried) => ProbeReport | null;
  /** Resolves with null if it failed or was given up. */
  readonly start: (source: Tried) => Promise<ProbeReport | null>;
  readonly giveUp: () => void;
}

export function useProbe(): Probe {
  const [state, setState] = useState<ProbeState>({ kind: 'none' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  return {
    state,
    reportOf: (source) =>
      state.kind === 'done' && state.tried === JSON.stringify(source) ? state.report : null,
    start: async (source) => {
      running.current?.abort();
      const left = new AbortController();
      running.current = left;
      setState({ kind: 'running' });
      try {
        const report = await probeCamera(source, left.signal);
        if (left.signal.aborted) return null;
        setState({ kind: 'done', tried: JSON.stringify(source), report });
        return report;
      } catch (thrown) {
        if (left.signal.aborted) return null;
        if (!(thrown instanceof CallError)) throw thrown;
        setState({ kind: 'failed', error: thrown });
        return null;
      }
    },
    giveUp: () => {
      running.current?.abort();
      setState({ kind: 'none' });
    },
  };
}
