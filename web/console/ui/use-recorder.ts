/** A video recorder that is being added: asked once, then a picture of each channel, then a camera of each chosen one. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { UrlTemplate } from '../camera-adding.ts';
import { eachInTurn, onceKeeper, type Progress } from '../in-turn.ts';
import {
  addChannel,
  type Channel,
  type ChannelStep,
  isAddable,
  isUnseen,
  openChannel,
  type Recorder,
  type RecorderDraft,
  RecorderRefusal,
  readRecorder,
  withoutLogin,
} from '../recorder-channels.ts';
import { createNvr } from '../site-list.ts';
import { useAction } from './use-action.ts';

/** As many parallel probes as the gateway makes for one organization. */
const AT_ONCE = 2;
const ADDED_AT_ONCE = 4;

export function useRecorder(templates: readonly UrlTemplate[]) {
  const [recorder, setRecorder] = useState<Recorder | null>(null);
  const [refusal, setRefusal] = useState<RecorderRefusal | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const asking = useAction();
  const making = useAction();
  const onceOf = useMemo(onceKeeper, []);
  const running = useRef<AbortController | null>(null);
  const made = useRef('');
  useEffect(() => () => running.current?.abort(), []);

  const setChannels = (update: (channels: readonly Channel[]) => readonly Channel[]) =>
    setRecorder((old) => (old === null ? null : { ...old, channels: update(old.channels) }));
  const change = (number: number, update: Partial<Channel> | ((channel: Channel) => Partial<Channel>)) =>
    setChannels((channels) =>
      channels.map((channel) =>
        channel.number === number
          ? { ...channel, ...(typeof update === 'function' ? update(channel) : update) }
          : channel,
      ),
    );
  const look = async (channels: readonly Channel[], signal: AbortSignal): Promise<boolean> => {
    let isRefused = false;
    await eachInTurn(
      channels,
      { atOnce: AT_ONCE, signal },
      ({ source }) => openChannel(source!, signal),
      ({ number }, progress) => {
        const step = stepOf(progress);
        isRefused ||= step.kind === 'failed' && step.isLogin;
        // A channel without a picture has no camera on it: it is added only on purpose.
        change(number, ({ isChosen }) => ({ step, isChosen: isChosen && step.kind !== 'failed' }));
      },
    );
    return !isRefused;
  };
  /** The first one alone: all have the same login, and recorders lock accounts. */
  const lookAtAll = async (channels: readonly Channel[], signal: AbortSignal) => {
    const [first, ...others] = channels.filter(isUnseen);
    if (first === undefined) return;
    if (await look([first], signal)) await look(others, signal);
    else setChannels(withoutLogin);
  };
  const begin = (): AbortSignal => {
    running.current?.abort();
    running.current = new AbortController();
    return running.current.signal;
  };

  return {
    recorder,
    refusal,
    isAdding,
    asking,
    making,
    change,
    /** Resolves with false if the recorder refused. */
    ask: async (draft: RecorderDraft, calledName: string | null): Promise<boolean> => {
      const signal = begin();
      setRefusal(null);
      let found: Recorder | null = null;
      await asking.run(async () => {
        try {
          found = await readRecorder(draft, templates, calledName, signal);
        } catch (thrown) {
          if (signal.aborted) return;
          if (!(thrown instanceof RecorderRefusal)) throw thrown;
          setRefusal(thrown);
        }
      });
      if (found === null || signal.aborted) return false;
      made.current = (found as Recorder).nvrUuid;
      setRecorder(found);
      void lookAtAll((found as Recorder).channels, signal);
      return true;
    },
    forget: () => {
      begin();
      setRecorder(null);
    },
    choose: (isChosen: boolean) =>
      setChannels((channels) =>
        channels.map((channel) => ({
          ...channel,
          isChosen: isChosen && isAddable({ ...channel, isChosen: true }),
        })),
      ),
    retry: (channel: Channel) => void look([channel], running.current!.signal),
    /** Creates the NVR if there are several channels, and a camera of each chosen one. */
    add: async (name: string, locationUuid: string) => {
      const { channels } = recorder!;
      const chosen = channels.filter(isAddable);
      // What is still being looked at would otherwise overwrite what is being added.
      const signal = begin();
      setChannels((old) =>
        old.map((channel) =>
          channel.step.kind === 'opening' ? { ...channel, step: { kind: 'waiting' } } : channel,
        ),
      );
      await making.run(async () => {
        if (made.current === '' && channels.length > 1) {
          made.current = await createNvr(name, locationUuid, onceOf({ name, locationUuid }));
        }
        setIsAdding(true);
        const where = { locationUuid, nvrUuid: made.current };
        await eachInTurn(
          chosen,
          { atOnce: ADDED_AT_ONCE, signal },
          (channel) => addChannel(channel, where, signal),
          ({ number }, progress) => change(number, { step: addedStep(progress) }),
        );
        setIsAdding(false);
      });
    },
  };
}

function stepOf(progress: Progress<ChannelStep>): ChannelStep {
  switch (progress.kind) {
    case 'waiting':
      return progress;
    case 'running':
      return { kind: 'opening' };
    case 'failed':
      return { kind: 'failed', sentence: progress.error.message, isLogin: false };
    case 'done':
      return progress.result;
  }
}

function addedStep(progress: Progress<string>): ChannelStep {
  switch (progress.kind) {
    case 'waiting':
    case 'running':
      return { kind: 'adding' };
    case 'failed':
      return { kind: 'refused', sentence: progress.error.message };
    case 'done':
      return { kind: 'added', cameraUuid: progress.result };
  }
}
