/** Alerts that come forward on a watched wall, and acknowledging them one after the other. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type PolicyAlert, readAlerts } from '../alert-list.ts';
import { announceAlerts, endSignals } from '../alert-signals.ts';
import { acknowledgeAlerts, canUndo, lastAcknowledged, undoAcknowledged } from '../alert-undo.ts';
import type { CallError } from '../api.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import {
  type AlertScope,
  alertsBefore,
  type Before,
  MAX_WAITING,
  NO_WAITING,
  type WaitingAlerts,
  waitingAlerts,
} from '../wall-alerts.ts';
import { useAction } from './use-action.ts';

export interface WallAlerts {
  readonly waiting: WaitingAlerts;
  /** The alert that is forward, and its place in line; null: none is, or all were put back. */
  readonly current: PolicyAlert | null;
  readonly place: number;
  /** Leaves all that wait where they are. New ones come forward again. */
  readonly putBack: () => void;
  /** The next one in line; after the last one, the first. */
  readonly next: () => void;
  /** The next one takes its place immediately. Fails with what `error` says. */
  readonly acknowledge: (alert: PolicyAlert) => void;
  /** Reopens the one that was acknowledged last, also while that is on its way. False: there is none. */
  readonly undo: () => boolean;
  readonly error: CallError | null;
  /** Whether the person may acknowledge. */
  readonly isAllowed: boolean;
}

/** `cameraUuids`: those of the wall. `names`: of all cameras that the person may see. */
export function useWallAlerts(
  scope: AlertScope,
  cameraUuids: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
): WallAlerts {
  const before = useRef<Before | null>(null);
  const reading = useReading(
    async (signal) => {
      const read = await readAlerts(MAX_WAITING, true, signal);
      before.current ??= alertsBefore(read);
      return read;
    },
    [],
    ({ entity }) => entity === 'POLICY_ALERT' || entity === 'ALERT_ACKNOWLEDGEMENT',
  );
  /** Acknowledged here a moment ago, as long as readings have them. Without that, a reopened one would not come forward. */
  const [done, setDone] = useState<ReadonlySet<string>>(NONE);
  const [back, setBack] = useState<ReadonlySet<string>>(NONE);
  const [chosen, setChosen] = useState<string | null>(null);
  const state = reading.state.value;
  useEffect(() => {
    if (state.kind === 'read') setDone((known) => stillRead(known, state.value.alerts));
  }, [state]);
  const reopened = lastAcknowledged.value?.isReopened === true ? lastAcknowledged.value.uuids : NO_UUIDS;
  useEffect(() => {
    if (reopened.length === 0) return;
    setDone((known) => without(known, reopened));
    setChosen(reopened[0]!);
  }, [reopened]);
  const waiting = useMemo(() => {
    if (state.kind !== 'read' || before.current === null || scope === 'none') return NO_WAITING;
    const isWatched = (uuid: string) => names.has(uuid) && (scope === 'all' || cameraUuids.has(uuid));
    const all = waitingAlerts(state.value, before.current, isWatched);
    return { ...all, alerts: all.alerts.filter(({ uuid }) => !done.has(uuid)) };
  }, [state, scope, cameraUuids, names, done]);
  const { alerts } = waiting;
  useAnnouncement(alerts, reopened, () => setChosen(null));
  const forward = alerts.filter(({ uuid }) => !back.has(uuid));
  const current = forward.find(({ uuid }) => uuid === chosen) ?? forward[0] ?? null;
  const { error, acknowledge, undo } = useAcknowledging(setDone);
  return {
    waiting,
    current,
    place: current === null ? 0 : alerts.indexOf(current),
    putBack: () => setBack(new Set(alerts.map(({ uuid }) => uuid))),
    next: () => {
      setBack(NONE);
      const at = current === null ? -1 : alerts.indexOf(current);
      setChosen(alerts[(at + 1) % Math.max(1, alerts.length)]?.uuid ?? null);
    },
    acknowledge: (alert) => {
      setChosen(null);
      acknowledge(alert);
    },
    undo,
    error,
    isAllowed: may('operator'),
  };
}

const NONE: ReadonlySet<string> = new Set();
const NO_UUIDS: readonly string[] = [];
/** As many as can be on their way while earlier ones are read again. */
const MAX_DONE = 500;

function stillRead(known: ReadonlySet<string>, alerts: readonly PolicyAlert[]): ReadonlySet<string> {
  const read = new Set(alerts.map(({ uuid }) => uuid));
  return without(
    known,
    [...known].filter((uuid) => !read.has(uuid)),
  );
}

/** The same set if nothing leaves it. */
function without(known: ReadonlySet<string>, uuids: readonly string[]): ReadonlySet<string> {
  return uuids.some((uuid) => known.has(uuid))
    ? new Set([...known].filter((uuid) => !uuids.includes(uuid)))
    : known;
}

/** Sound for each new alert, once; `onNew`: it comes forward. `reopened`: here, by the person, who knows of them. */
function useAnnouncement(
  alerts: readonly PolicyAlert[],
  reopened: readonly string[],
  onNew: () => void,
): void {
  const announced = useRef(NONE);
  useEffect(() => {
    const isNew = alerts.some(({ uuid }) => !announced.current.has(uuid) && !reopened.includes(uuid));
    announced.current = new Set(alerts.map(({ uuid }) => uuid));
    if (alerts.length === 0) endSignals();
    if (!isNew) return;
    onNew();
    announceAlerts({ isStorm: false, beginsStorm: false });
  }, [alerts]);
}

/** One call after the other: someone who presses the key twice means the next alert. */
function useAcknowledging(setDone: (update: (before: ReadonlySet<string>) => ReadonlySet<string>) => void) {
  const line = useRef<(PolicyAlert | 'undo')[]>([]);
  const isSending = useRef(false);
  const { error, run } = useAction();
  const inTurn = async () => {
    for (let next = line.current.shift(); next !== undefined; next = line.current.shift()) {
      isSending.current = true;
      const last = lastAcknowledged.peek();
      try {
        if (next !== 'undo') await acknowledgeAlerts([next.uuid]);
        else if (last !== null && canUndo(last)) await undoAcknowledged(last);
      } catch (thrown) {
        // They wait again.
        const failed = [next, ...line.current.splice(0)].flatMap((each) =>
          each === 'undo' ? [] : each.uuid,
        );
        setDone((known) => without(known, failed));
        throw thrown;
      } finally {
        isSending.current = false;
      }
    }
  };
  return {
    error,
    acknowledge: (alert: PolicyAlert) => {
      setDone((known) => new Set([...known, alert.uuid].slice(-MAX_DONE)));
      line.current.push(alert);
      void run(inTurn);
    },
    undo: () => {
      const last = lastAcknowledged.peek();
      const isThere = isSending.current || line.current.length > 0 || (last !== null && canUndo(last));
      if (!isThere || line.current.at(-1) === 'undo') return false;
      line.current.push('undo');
      void run(inTurn);
      return true;
    },
  };
}
