/** Reads of one thing, of which only the one begun last counts: an answer that comes late never replaces that of a later read. */
export class Latest {
  private begun = 0

  /** Reads, and passes on the result or the error, unless another read has begun since. */
  async read<T>(what: () => Promise<T>, got: (read: T) => void, failed: (error: unknown) => void): Promise<void> {
    const mine = ++this.begun
    try {
      const read = await what()
      if (mine === this.begun) got(read)
    } catch (error) {
      if (mine === this.begun) failed(error)
    }
  }
}
