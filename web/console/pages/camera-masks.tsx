/** What viewers of a camera's links do not see. */

import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { type Answer, call } from '../api.ts';
import { type Area, isSame, MAX_AREAS, newArea } from '../mask-shape.ts';
import { usePageTitle } from '../page-title.ts';
import { type CameraAreas, readMasks, saveMasks } from '../privacy-masks.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { type CameraStreams, readCameraStreams } from '../stream-state.ts';
import { AdminsOnly } from '../ui/admins-only.tsx';
import { CameraHead } from '../ui/camera-head.tsx';
import { Check } from '../ui/check.tsx';
import { FormError } from '../ui/form-error.tsx';
import { MaskList, MaskPicture } from '../ui/mask-editor.tsx';
import { usePauses } from '../ui/pause-line.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { useAction } from '../ui/use-action.ts';
import { t } from '../words.ts';

const WIDTH_PX = 1_280;
/** A picture of the last minute will do. */
const MAX_AGE_SEC = 60;

type Snapshot = Answer<'camera/getSnapshot'>;

export function CameraMasksPage() {
  const { params } = useRoute();
  const cameraUuid = params.cameraUuid ?? '';
  const camera = useReading((signal) => readCameraStreams(cameraUuid, signal), [cameraUuid]);
  // Read once: edits stay, even if others change the masks.
  const masks = useReading((signal) => readMasks(cameraUuid, signal), [cameraUuid]);
  const picture = useReading(
    (signal) => call('camera/getSnapshot', { cameraUuid, width: WIDTH_PX, maxAgeSec: MAX_AGE_SEC }, signal),
    [cameraUuid],
  );
  const pauses = usePauses();
  return (
    <ReadTogether readings={[camera, masks, pauses]} what={t('the camera')} title={t('Privacy masks')}>
      <ReadingView reading={camera} what={t('the camera')} title={t('Privacy masks')}>
        {(known) => <Page camera={known} masks={masks} picture={picture} pauses={pauses} />}
      </ReadingView>
    </ReadTogether>
  );
}

function Page({
  camera,
  masks,
  picture,
  pauses,
}: {
  readonly camera: CameraStreams;
  readonly masks: ReadingHandle<CameraAreas>;
  readonly picture: ReadingHandle<Snapshot>;
  readonly pauses: ReturnType<typeof usePauses>;
}) {
  usePageTitle(camera.name);
  return (
    <>
      <CameraHead camera={camera} pauses={pauses} />
      <p class="hint">
        {t(
          'Links show these areas black: live, in pictures, and in recordings. Operators and administrators see everything.',
        )}
      </p>
      {may('admin') ? (
        <ReadingView reading={masks} what={t('the privacy masks')}>
          {(stored) => <Editor cameraUuid={camera.cameraUuid} stored={stored} picture={picture} />}
        </ReadingView>
      ) : (
        <AdminsOnly what={t('change privacy masks')} />
      )}
    </>
  );
}

function Editor({
  cameraUuid,
  stored,
  picture,
}: {
  readonly cameraUuid: string;
  readonly stored: CameraAreas;
  readonly picture: ReadingHandle<Snapshot>;
}) {
  const [before, setBefore] = useState(stored);
  const [areas, setAreas] = useState(stored.areas);
  const [isForViewers, setForViewers] = useState(stored.isForViewers);
  const [chosenId, setChosenId] = useState<number | null>(null);
  const [isSaved, setIsSaved] = useState(false);
  const action = useAction();
  const edit = (next: readonly Area[]) => {
    setIsSaved(false);
    setAreas(next);
  };
  const edits = {
    areas,
    chosenId,
    choose: ({ id }: Area) => setChosenId(id),
    change: (changed: Area) => edit(areas.map((area) => (area.id === changed.id ? changed : area))),
    remove: ({ id }: Area) => edit(areas.filter((area) => area.id !== id)),
  };
  const add = () => {
    const area = newArea(areas);
    edit([...areas, area]);
    setChosenId(area.id);
  };
  const save = () =>
    void action.run(async () => {
      await saveMasks(cameraUuid, { areas, isForViewers });
      setBefore({ areas, isForViewers });
      setIsSaved(true);
    });
  const isChanged = !isSame(areas, before.areas) || isForViewers !== before.isForViewers;
  const discard = () => {
    edit(before.areas);
    setForViewers(before.isForViewers);
  };
  return (
    <div class="mask-page">
      <ReadingView reading={picture} what={t('a picture of the camera')}>
        {({ imageData, contentType }) => (
          <MaskPicture edits={edits} imageUrl={`data:${contentType};base64,${imageData}`} />
        )}
      </ReadingView>
      <section class="sheet form" aria-label={t('Areas')}>
        {areas.length > 0 && (
          <p class="hint">
            {t(
              'Drag areas and their corners. The arrow keys move a corner, Shift makes them finer, and Delete removes it.',
            )}
          </p>
        )}
        {areas.length === 0 && <p>{t('No area is covered. Add one, then drag its corners.')}</p>}
        <MaskList edits={edits} />
        <p>
          <button type="button" disabled={areas.length >= MAX_AREAS} onClick={add}>
            {t('Add an area')}
          </button>
        </p>
        <Check
          label={t('Viewers do not see these areas either')}
          hint={t('People and keys with the role viewer, also in the console.')}
          isChecked={isForViewers}
          onCheck={(isChecked) => {
            setIsSaved(false);
            setForViewers(isChecked);
          }}
        />
        {isChanged && (
          <p class="hint">{t('Saving ends what people watch with areas now. Their pages open it again.')}</p>
        )}
        <FormError error={action.error} />
        <footer>
          <button type="button" disabled={!isChanged || action.isBusy} onClick={discard}>
            {t('Discard changes')}
          </button>
          <button type="button" class="primary" disabled={!isChanged || action.isBusy} onClick={save}>
            {t('Save')}
          </button>
        </footer>
        <p role="status">{isSaved ? t('Saved. Links show the new areas.') : ''}</p>
      </section>
    </div>
  );
}
