/** Shares the camera of a page: the dialog for a new share, and then its link. */

import { useState } from 'preact/hooks';
import type { ShareItem } from '../share-item.ts';
import { sharePlace } from '../share-places.ts';
import { findShare, readOffer, type ShareOffer } from '../share-state.ts';
import { t } from '../words.ts';
import { FormError } from './form-error.tsx';
import { Icon } from './icon.tsx';
import { LinkReadyDialog } from './link-ready.tsx';
import { readyLinkOf } from './link-ways.tsx';
import { NewShareDialog } from './share-new.tsx';
import { useAction } from './use-action.ts';

type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'new'; readonly offer: ShareOffer }
  | { readonly kind: 'created'; readonly share: ShareItem; readonly password: string };

export function CameraShare({ cameraUuid }: { readonly cameraUuid: string }) {
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
        <span>{t('Share')}</span>
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
        <LinkReadyDialog
          link={readyLinkOf(step.share)}
          password={step.password}
          others={
            <a class="button" href={sharePlace(step.share.uuid)}>
              {t('Share settings')}
            </a>
          }
          onClose={close}
        />
      )}
    </>
  );
}
