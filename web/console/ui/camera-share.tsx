/** Shares the camera of a page: the dialog for a new share, and then its link. */

import { useState } from 'preact/hooks';
import type { ShareItem } from '../share-item.ts';
import { findShare, readOffer, type ShareOffer } from '../share-state.ts';
import { FormError } from './form-error.tsx';
import { Icon } from './icon.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { NewShareDialog } from './share-new.tsx';
import { useAction } from './use-action.ts';

type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'new'; readonly offer: ShareOffer }
  | { readonly kind: 'created'; readonly share: ShareItem; readonly password: string };

export function CameraShare({
  cameraUuid,
  isOffline,
}: {
  readonly cameraUuid: string;
  readonly isOffline: boolean;
}) {
  const [step, setStep] = useState<Step>({ kind: 'none' });
  const { isBusy, error, run } = useAction();
  const close = () => setStep({ kind: 'none' });
  const show = async (uuid: string, password: string) => {
    const share = await findShare(uuid, new AbortController().signal);
    setStep(share === null ? { kind: 'none' } : { kind: 'created', share, password });
  };
  return (
    <>
      <button
        type="button"
        class="stage-button"
        disabled={isBusy}
        onClick={() =>
          void run(async () => setStep({ kind: 'new', offer: await readOffer(new AbortController().signal) }))
        }
      >
        <Icon name="share" />
        <span>Share</span>
      </button>
      <FormError error={error} />
      {step.kind === 'new' && (
        <NewShareDialog
          read={step.offer}
          targetUuid={cameraUuid}
          onClose={close}
          onCreated={(uuid, password) => void run(() => show(uuid, password))}
        />
      )}
      {step.kind === 'created' && (
        <ShareDialog
          share={step.share}
          isOffline={isOffline}
          created={step.password}
          onChanged={() => void run(() => show(step.share.uuid, step.password))}
          onClose={close}
        />
      )}
    </>
  );
}
