/** A place in the line for an ffmpeg worker. */
export interface WorkerWait {
  /** Starts that are admitted earlier, as things are. */
  readonly ahead: number;
  /** Workers that run, of so many. */
  readonly running: number;
  readonly maxWorkers: number;
}
