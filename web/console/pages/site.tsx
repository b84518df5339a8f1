/** One site: its floor plan with the cameras there. */

import { useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { listText } from '../../words/formats.ts';
import { offlineCount } from '../camera-attention.ts';
import { SITES_PLACE } from '../camera-places.ts';
import { type FloorPlan, readFloorPlan, removeFloorPlan, setFloorPlan } from '../floor-plan.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import type { PlanPlace } from '../plan-geometry.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { readPlaces, type SiteItem } from '../site-list.ts';
import { EmergencyButton } from '../ui/emergency-button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Notice } from '../ui/notice.tsx';
import { PlanSide } from '../ui/plan-side.tsx';
import { PlanView } from '../ui/plan-view.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { useAction } from '../ui/use-action.ts';
import { usePlanEdits } from '../ui/use-plan-edits.ts';
import { t } from '../words.ts';

/** More would be a page of their own. */
const MAX_UNPLACED = 12;
const CONCERNED: ReadonlySet<string> = new Set(['LOCATION', 'NVR', 'CAMERA']);

interface SiteRead {
  readonly site: SiteItem;
  readonly plan: FloorPlan;
}

export function SitePage() {
  const uuid = useRoute().params.siteUuid ?? '';
  const reading = useReading(
    async (signal): Promise<SiteRead | null> => {
      const { sites } = await readPlaces(signal);
      const site = sites.find((each) => each.uuid === uuid);
      return site === undefined ? null : { site, plan: await readFloorPlan(uuid, signal) };
    },
    [uuid],
    ({ entity }) => CONCERNED.has(entity),
  );
  const state = reading.state.value;
  const name = state.kind === 'read' ? state.value?.site.name : undefined;
  usePageTitle(name ?? t('Site'));
  return (
    <ReadingView reading={reading} what={t('the site')} title={t('Site')}>
      {(read) =>
        read === null ? (
          <Notice isPage title={t('There is no such site')}>
            <a href={SITES_PLACE}>{t('All sites')}</a>
          </Notice>
        ) : (
          <Site key={uuid} read={read} reading={reading} />
        )
      }
    </ReadingView>
  );
}

function Site({
  read: { site, plan },
  reading,
}: {
  readonly read: SiteRead;
  readonly reading: ReadingHandle<SiteRead | null>;
}) {
  const [isArranging, setIsArranging] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [isRemoving, setIsRemoving] = useState(false);
  const upload = useAction();
  const edits = usePlanEdits(site.uuid, plan.cameras, (cameraUuid, spot) =>
    reading.put((read) => (read === null ? null : { ...read, plan: withPlace(read.plan, cameraUuid, spot) })),
  );
  const { image = null } = plan;
  const placed = site.cameras.filter(({ uuid }) => edits.places.has(uuid));
  const isEmpty = image === null && placed.length === 0 && !isArranging;
  const offline = offlineCount(site.cameras);
  return (
    <>
      <p>
        <a href={SITES_PLACE}>{t('All sites')}</a>
      </p>
      <div class="page-head">
        <h1 class="break">{site.name}</h1>
        {site.cameras.length > 0 && <EmergencyButton cameraUuids={site.cameras.map(({ uuid }) => uuid)} />}
        <span class="section-deeds">
          {may('admin') && !isEmpty && (
            <Upload
              label={image === null ? t('Add plan') : t('Replace plan')}
              isBusy={upload.isBusy}
              onFile={(file) => void upload.run(() => setFloorPlan(site.uuid, file).then(reading.refresh))}
            />
          )}
          {may('operator') && !isEmpty && (
            <button
              type="button"
              class={isArranging ? 'primary' : ''}
              onClick={() => {
                setIsArranging(!isArranging);
                setChosen(null);
              }}
            >
              {isArranging ? t('Done') : t('Arrange cameras')}
            </button>
          )}
          {isArranging && (
            <button type="button" disabled={edits.undo === null} onClick={() => edits.undo?.()}>
              {t('Undo')}
            </button>
          )}
          {may('admin') && image !== null && (
            <button type="button" class="quiet danger" onClick={() => setIsRemoving(true)}>
              {t('Remove plan')}
            </button>
          )}
        </span>
      </div>
      <p class="hint">
        <a href={place(`?site=${encodeURIComponent(site.uuid)}`)}>
          {t('{count, plural, one {# camera} other {# cameras}}', { count: site.cameras.length })}
        </a>
        {offline > 0 && (
          <>
            {' · '}
            <a class="bad-text" href={place(`?site=${encodeURIComponent(site.uuid)}&state=offline`)}>
              {t('{count, plural, one {# offline} other {# offline}}', { count: offline })}
            </a>
          </>
        )}
        {` · ${site.timeZone}`}
      </p>
      <FormError error={upload.error ?? edits.error} />
      {isEmpty ? (
        <EmptyPlan
          isBusy={upload.isBusy}
          onFile={(file) =>
            void upload.run(async () => {
              await setFloorPlan(site.uuid, file);
              reading.refresh();
              setIsArranging(may('operator'));
            })
          }
          onBlank={() => setIsArranging(true)}
        />
      ) : (
        <div class={isArranging ? 'plan-page arranging' : 'plan-page'}>
          <PlanView {...{ image, edits, isArranging, chosen }} cameras={site.cameras} onChoose={setChosen} />
          {!isArranging && may('operator') && (
            <Unplaced
              names={site.cameras.filter(({ uuid }) => !edits.places.has(uuid)).map(({ name }) => name)}
              onPlace={() => setIsArranging(true)}
            />
          )}
          {isArranging && <PlanSide cameras={site.cameras} {...{ edits, chosen }} onChoose={setChosen} />}
        </div>
      )}
      {isRemoving && (
        <FormDialog
          title={t('Remove this plan?')}
          submit={t('Remove plan')}
          isDanger
          onSubmit={async () => {
            await removeFloorPlan(site.uuid);
            reading.refresh();
            setIsRemoving(false);
          }}
          onClose={() => setIsRemoving(false)}
        >
          <p>{t('Cameras keep their places, for another plan.')}</p>
        </FormDialog>
      )}
    </>
  );
}

/** Cameras that one would miss on the plan. */
function Unplaced({ names, onPlace }: { readonly names: readonly string[]; readonly onPlace: () => void }) {
  if (names.length === 0) return null;
  return (
    <section class="plan-unplaced" aria-label={t('Not on the plan')}>
      <p class="break">
        {t('{count, plural, one {# camera is} other {# cameras are}} not on the plan: {names}', {
          count: names.length,
          names: listText(names.slice(0, MAX_UNPLACED)),
        })}
      </p>
      <button type="button" onClick={onPlace}>
        {t('Place')}
      </button>
    </section>
  );
}

/** Draws what will be here. */
function EmptyPlan({
  isBusy,
  onFile,
  onBlank,
}: {
  readonly isBusy: boolean;
  readonly onFile: (file: File) => void;
  readonly onBlank: () => void;
}) {
  return (
    <Notice title={t('There is no floor plan yet')}>
      <svg class="plan-sketch" viewBox="0 0 320 180" aria-hidden="true">
        <path class="walls" d="M20 20h280v140H20zM130 20v60M130 110v50M130 80h60M230 80h70M230 20v60" />
        <path
          class="view"
          d="M32 32L92 42A62 62 0 0 1 42 92zM288 148L232 136A60 60 0 0 1 280 92zM142 32L196 44A56 56 0 0 1 158 82z"
        />
        <circle cx="32" cy="32" r="6" />
        <circle cx="288" cy="148" r="6" />
        <circle cx="142" cy="32" r="6" />
      </svg>
      <p>{t('A plan shows where each camera is, what it sees, and whether it works.')}</p>
      {may('admin') && (
        <Upload label={t('Add a plan: PNG, JPEG, or WebP')} isPrimary isBusy={isBusy} onFile={onFile} />
      )}
      {may('operator') && (
        <button type="button" class="quiet" onClick={onBlank}>
          {t('Arrange cameras without an image')}
        </button>
      )}
    </Notice>
  );
}

function Upload({
  label,
  isPrimary = false,
  isBusy,
  onFile,
}: {
  readonly label: string;
  readonly isPrimary?: boolean;
  readonly isBusy: boolean;
  readonly onFile: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class={isPrimary ? 'primary' : ''}
        disabled={isBusy}
        onClick={() => input.current!.click()}
      >
        {isBusy ? t('Saving…') : label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp"
        aria-label={label}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
    </>
  );
}

function withPlace(plan: FloorPlan, cameraUuid: string, spot: PlanPlace | null): FloorPlan {
  const others = plan.cameras.filter((camera) => camera.cameraUuid !== cameraUuid);
  return { ...plan, cameras: spot === null ? others : [...others, { cameraUuid, ...spot }] };
}
