/** A form that describes how to open a camera, tries it, and then saves it: for new and for known cameras. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ProbeReport, SourceFields as Source, UrlTemplate } from '../camera-adding.ts';
import {
  type DraftFaults,
  type DraftField,
  draftFaults,
  fieldOfFault,
  type SourceDraft,
} from '../camera-draft.ts';
import { t } from '../words.ts';
import { FormError } from './form-error.tsx';
import { faultTitle, ProbeView } from './probe-view.tsx';
import { SourceFields } from './source-fields.tsx';
import { useAction } from './use-action.ts';
import { type Probe, useProbe } from './use-probe.ts';

/** The gateway's error if the stored password would be sent to another host. */
const PASSWORD_NEEDED = /^password is required/;

export function SourceWizard({
  initial,
  templates,
  passwordHint,
  firstField = null,
  sourceOf,
  children,
  save,
  onSave,
}: {
  readonly initial: SourceDraft;
  readonly templates: readonly UrlTemplate[];
  readonly passwordHint?: string;
  /** What someone came to change: it gets the focus. */
  readonly firstField?: DraftField | null;
  /** The source to try; called only for drafts without faults. */
  readonly sourceOf: (draft: SourceDraft) => Source & { readonly cameraUuid?: string };
  /** Further fields before saving. */
  readonly children?: ComponentChildren;
  /** On the button, such as "Add camera". */
  readonly save: string;
  /** False: something that was asked is missing. Fails with a CallError. */
  readonly onSave: (draft: SourceDraft) => Promise<void>;
}) {
  const [draft, setDraft] = useState(initial);
  const [faults, setFaults] = useState<DraftFaults>({});
  const [wanted, setWanted] = useState<DraftField | 'name' | null>(firstField);
  const probe = useProbe();
  const change = useAction();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (wanted === null) return;
    const field = box.current!.querySelector<HTMLInputElement>(`[name="${wanted}"]`);
    field?.focus();
    // What is typed next replaces what was wrong.
    if (wanted === 'password') field?.select();
    setWanted(null);
  }, [wanted]);
  const isWhole = Object.keys(draftFaults(draft)).length === 0;
  const report = isWhole ? probe.reportOf(sourceOf(draft)) : null;
  const point = (found: DraftFaults) => {
    setFaults(found);
    const [first] = Object.keys(found) as DraftField[];
    if (first !== undefined) setWanted(first);
    return first === undefined;
  };
  const check = async () => {
    if (!point(draftFaults(draft))) return;
    const found = await probe.start(sourceOf(draft));
    if (found === null) return;
    if (point(reportFaults(found, draft.kind)) && found.main.works) setWanted('name');
  };
  useEffect(() => {
    if (probe.state.kind === 'failed' && PASSWORD_NEEDED.test(probe.state.error.message)) {
      point({ password: t('Enter the password again: the stored one is for the address before.') });
    }
  }, [probe.state]);
  return (
    <div class="wizard" ref={box}>
      <form
        class="form sheet"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <SourceFields
          templates={templates}
          {...(passwordHint === undefined ? {} : { passwordHint })}
          draft={draft}
          faults={faults}
          onDraft={(next) => {
            setFaults({});
            setDraft(next);
          }}
        />
        <footer>
          <button
            type="submit"
            class={report === null ? 'primary' : ''}
            disabled={probe.state.kind === 'running'}
          >
            {probe.state.kind === 'running'
              ? t('Checking…')
              : report === null
                ? t('Check the camera')
                : t('Check again')}
          </button>
          {probe.state.kind === 'running' && (
            <button type="button" class="quiet" onClick={probe.giveUp}>
              {t('Stop')}
            </button>
          )}
        </footer>
      </form>
      <div class="part">
        <p class="off-screen" role="status">
          {report === null ? '' : report.main.works ? t('It works.') : `${faultTitle(report.main)}.`}
        </p>
        <ProbeOutcome probe={probe} report={report} />
        {report !== null && (
          <form
            class="form sheet"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              void change.run(() => onSave(draft));
            }}
          >
            {children}
            {!report.main.works && (
              <p class="hint">
                {t(
                  'You can save it all the same. The gateway opens it when someone watches, and says then what is wrong.',
                )}
              </p>
            )}
            <FormError error={change.error} />
            <footer>
              <button type="submit" class={report.main.works ? 'primary' : ''} disabled={change.isBusy}>
                {change.isBusy ? t('Saving…') : report.main.works ? save : t('{save} all the same', { save })}
              </button>
            </footer>
          </form>
        )}
      </div>
    </div>
  );
}

function reportFaults({ main, sub }: ProbeReport, kind: SourceDraft['kind']): DraftFaults {
  if (!main.works) {
    const field = fieldOfFault(main.errorReason, kind);
    return field === null ? {} : { [field]: `${faultTitle(main)}.` };
  }
  if (sub == null || sub.works) return {};
  return {
    [kind === 'rtsp' ? 'subPath' : 'subUrl']: t('{faultTitle}. Correct it, or leave it empty.', {
      faultTitle: faultTitle(sub),
    }),
  };
}

function ProbeOutcome({ probe, report }: { readonly probe: Probe; readonly report: ProbeReport | null }) {
  const { state } = probe;
  if (state.kind === 'running') {
    return (
      <section class="sheet probe-wait" role="status">
        <h2>{t('Opening the camera…')}</h2>
        <p class="hint">{t('This takes up to 15 seconds: the gateway measures what it sends.')}</p>
      </section>
    );
  }
  if (state.kind === 'failed') {
    return PASSWORD_NEEDED.test(state.error.message) ? null : <FormError error={state.error} />;
  }
  if (report === null) {
    return (
      <section class="sheet probe-wait">
        <h2>{state.kind === 'none' ? t('Its picture will be here') : t('Changed since it was checked')}</h2>
        <p class="hint">
          {t(
            'Check the camera first. Nothing is saved before you see what it sends, and what is worth changing in it.',
          )}
        </p>
      </section>
    );
  }
  return (
    <section class="sheet" aria-labelledby="probe-title">
      <h2 id="probe-title" class={report.main.works ? '' : 'trouble'}>
        {report.main.works ? t('The camera works') : faultTitle(report.main)}
      </h2>
      <ProbeView report={report} />
    </section>
  );
}
