// Reads an order once for each change, for all event streams of the order together. A change during a read causes one
// more read, unless the read has its version.

/** A record and shared functions, because ten thousand of them are held in memory. */
interface Feed<Member> {
  members: readonly Member[];
  readVersion: number | undefined;
  /** The version of the last change; undefined if it is not known. */
  toldVersion: number | undefined;
  isReading: boolean;
  /** Whether a change was reported since the read began. */
  isStale: boolean;
  unwatch: () => void;
}

interface Source<Member, State> {
  read(orderId: string): Promise<State>;
  versionOf(state: State): number;
  /** Calls back after each commit, with the new version if it is known. */
  watch(orderId: string, onChange: (version: number | undefined) => void): () => void;
  give(member: Member, state: State): void;
  /** The order could not be read or given. */
  fail(member: Member): void;
}

export interface OrderFeeds<Member> {
  countOf(orderId: string): number;
  /** The member is given the order after each change, and at once by `refresh`. */
  join(orderId: string, member: Member): void;
  leave(orderId: string, member: Member): void;
  /** Reads the order and gives it to all its members, if it is not being read already. */
  refresh(orderId: string): void;
}

export function createFeeds<Member, State>(source: Source<Member, State>): OrderFeeds<Member> {
  const feeds = new Map<string, Feed<Member>>();

  function open(orderId: string): Feed<Member> {
    const feed: Feed<Member> = {
      members: [],
      readVersion: undefined,
      toldVersion: undefined,
      isReading: false,
      isStale: false,
      unwatch: source.watch(orderId, (version) => {
        if (version !== undefined && version === feed.readVersion) return;
        feed.toldVersion = version;
        feed.isStale = true;
        void read(orderId, feed);
      }),
    };
    feeds.set(orderId, feed);
    return feed;
  }

  async function read(orderId: string, feed: Feed<Member>): Promise<void> {
    if (feed.isReading) return;
    feed.isReading = true;
    do {
      feed.isStale = false;
      try {
        const state = await source.read(orderId);
        feed.readVersion = source.versionOf(state);
        for (const member of feed.members) source.give(member, state);
      } catch {
        for (const member of feed.members) source.fail(member);
      }
    } while (feed.isStale && feed.toldVersion !== feed.readVersion && feed.members.length > 0);
    feed.isReading = false;
  }

  return {
    countOf: (orderId) => feeds.get(orderId)?.members.length ?? 0,
    join(orderId, member) {
      const feed = feeds.get(orderId) ?? open(orderId);
      feed.members = [...feed.members, member];
    },
    leave(orderId, member) {
      const feed = feeds.get(orderId);
      if (feed === undefined) return;
      feed.members = feed.members.filter((other) => other !== member);
      if (feed.members.length > 0) return;
      feeds.delete(orderId);
      feed.unwatch();
    },
    refresh(orderId) {
      const feed = feeds.get(orderId);
      if (feed !== undefined) void read(orderId, feed);
    },
  };
}
