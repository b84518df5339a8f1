/** What people do with alerts in a list: their dialogs, keys, and buttons. */

import type { ComponentChild } from 'preact';
import { useRef, useState } from 'preact/hooks';
import {
  type Acknowledgement,
  acknowledgeAlert,
  alertTitle,
  type PolicyAlert,
  releaseAlert,
  type Taking,
  takeAlert,
} from '../alert-list.ts';
import { acknowledgeAlerts, offerUndo } from '../alert-undo.ts';
import type { CallError } from '../api.ts';
import { may } from '../session.ts';
import { AcknowledgeDialog, FirstDialog, TakenDialog } from './acknowledge-dialog.tsx';
import { AlertPlayer } from './alert-player.tsx';
import type { AlertActions } from './alert-rows.tsx';
import { EmergencyDialog } from './emergency-dialog.tsx';
import { SaveAlertDialog } from './save-alert-dialog.tsx';
import { useAction } from './use-action.ts';

type OpenDialog =
  | { readonly kind: 'save' | 'acknowledge' | 'play' | 'emergency'; readonly alert: PolicyAlert }
  | { readonly kind: 'first'; readonly first: Acknowledgement }
  | { readonly kind: 'taken'; readonly taking: Taking };

export interface AlertActing {
  readonly actions: AlertActions;
  readonly acknowledgeAll: (alerts: readonly PolicyAlert[]) => void;
  readonly isBusy: boolean;
  readonly error: CallError | null;
  /** What is open over the page. */
  readonly dialog: ComponentChild;
}

/** `refresh`: reads the list again. */
export function useAlertActions(refresh: () => void): AlertActing {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const all = useAction();
  const inTurn = useTurns();
  const acknowledge = (alert: PolicyAlert) =>
    inTurn.run(alert.uuid, async () => {
      const { acknowledgement: first, isYours } = await acknowledgeAlert(alert, null);
      if (isYours) offerUndo(alert.uuid);
      else setOpen({ kind: 'first', first });
      refresh();
    });
  const take = (alert: PolicyAlert) =>
    inTurn.run(`take-${alert.uuid}`, async () => {
      const { taking, isYours } = await takeAlert(alert);
      if (!isYours) setOpen({ kind: 'taken', taking });
      refresh();
    });
  const release = (alert: PolicyAlert) =>
    inTurn.run(`take-${alert.uuid}`, async () => {
      await releaseAlert(alert);
      refresh();
    });
  const isOperator = may('operator');
  return {
    actions: {
      save: isOperator ? (alert) => setOpen({ kind: 'save', alert }) : null,
      handle: isOperator
        ? {
            withNote: (alert) => setOpen({ kind: 'acknowledge', alert }),
            atOnce: acknowledge,
            take,
            release,
          }
        : null,
      play: (alert) => setOpen({ kind: 'play', alert }),
      openEmergency: isOperator ? (alert) => setOpen({ kind: 'emergency', alert }) : null,
    },
    acknowledgeAll: (alerts) =>
      void all.run(async () => {
        await acknowledgeAlerts(alerts.map(({ uuid }) => uuid));
        refresh();
      }),
    isBusy: all.isBusy,
    error: all.error ?? inTurn.error,
    dialog: open !== null && <OpenedDialog open={open} refresh={refresh} onClose={() => setOpen(null)} />,
  };
}

/** With the keys, a person can move to the next alert before the gateway has answered: calls take turns. */
function useTurns() {
  const line = useRef<{ readonly key: string; readonly work: () => Promise<void> }[]>([]);
  const { error, run } = useAction();
  const inTurn = async () => {
    let failed: unknown = null;
    for (let next = line.current.shift(); next !== undefined; next = line.current.shift()) {
      try {
        await next.work();
      } catch (thrown) {
        failed = thrown;
      }
    }
    if (failed !== null) throw failed;
  };
  return {
    error,
    run: (key: string, work: () => Promise<void>) => {
      if (!line.current.some((waiting) => waiting.key === key)) line.current.push({ key, work });
      void run(inTurn);
    },
  };
}

function OpenedDialog({
  open,
  refresh,
  onClose,
}: {
  readonly open: OpenDialog;
  readonly refresh: () => void;
  readonly onClose: () => void;
}) {
  switch (open.kind) {
    case 'save':
      return <SaveAlertDialog alert={open.alert} onSaved={refresh} onClose={onClose} />;
    case 'acknowledge':
      return <AcknowledgeDialog alert={open.alert} onDone={refresh} onClose={onClose} />;
    case 'play':
      return <AlertPlayer alert={open.alert} onClose={onClose} />;
    case 'emergency':
      return (
        <EmergencyDialog
          cameraUuids={[open.alert.deviceUuid]}
          alert={{ uuid: open.alert.uuid, title: alertTitle(open.alert) }}
          onClose={onClose}
        />
      );
    case 'first':
      return <FirstDialog first={open.first} hadNote={false} onClose={onClose} />;
    case 'taken':
      return <TakenDialog taking={open.taking} onClose={onClose} />;
  }
}
