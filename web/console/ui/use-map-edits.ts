/** Moves on a street map: shown immediately, saved one after the other, and undone. */

import { useRef, useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import type { Degrees } from '../map-geometry.ts';
import { type MapMark, placeOnMap } from '../map-marks.ts';

export type Placeable = Pick<MapMark, 'kind' | 'uuid'>;

export interface MapEdits {
  /** By UUID: places that are not stored yet; null: it is taken off. */
  readonly moved: ReadonlyMap<string, Degrees | null>;
  /** Shown only. */
  readonly preview: (uuid: string, place: Degrees) => void;
  /** Stores it. `place` null: takes it off the map. `before`: where it was; null: nowhere. */
  readonly commit: (mark: Placeable, place: Degrees | null, before: Degrees | null) => void;
  /** Null: there is nothing to undo. */
  readonly undo: (() => void) | null;
  readonly error: CallError | null;
}

const MAX_UNDO = 50;

/** `onSaved`: it is stored: the reading is to show it. */
export function useMapEdits(onSaved: (mark: Placeable, place: Degrees | null) => void): MapEdits {
  const [moved, setMoved] = useState<ReadonlyMap<string, Degrees | null>>(new Map());
  const [undoable, setUndoable] = useState<
    readonly { readonly mark: Placeable; readonly before: Degrees | null }[]
  >([]);
  const [error, setError] = useState<CallError | null>(null);
  const line = useRef<Promise<void>>(Promise.resolve());
  const preview = (uuid: string, place: Degrees | null) =>
    setMoved((known) => new Map(known).set(uuid, place));
  const save = (mark: Placeable, place: Degrees | null) => {
    preview(mark.uuid, place);
    // One after the other: the last one wins, also at the gateway.
    line.current = line.current.then(async () => {
      try {
        await placeOnMap(mark, place);
        setError(null);
        onSaved(mark, place);
      } catch (thrown) {
        if (!(thrown instanceof CallError)) throw thrown;
        setError(thrown);
      }
      // From now on, what others do with it shows. A later move of it stays.
      setMoved((known) => (known.get(mark.uuid) === place ? without(known, mark.uuid) : known));
    });
  };
  const last = undoable.at(-1);
  return {
    moved,
    preview,
    commit: (mark, place, before) => {
      setUndoable((old) => [...old, { mark, before }].slice(-MAX_UNDO));
      save(mark, place);
    },
    undo:
      last === undefined
        ? null
        : () => {
            setUndoable((old) => old.slice(0, -1));
            save(last.mark, last.before);
          },
    error,
  };
}

function without(
  known: ReadonlyMap<string, Degrees | null>,
  uuid: string,
): ReadonlyMap<string, Degrees | null> {
  const left = new Map(known);
  left.delete(uuid);
  return left;
}
