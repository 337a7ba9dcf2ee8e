// Imported by each process of the benchmark before its own code: ends it as soon as the benchmark's process has ended,
// however that ended. `unref` lets it end by itself as well.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();
