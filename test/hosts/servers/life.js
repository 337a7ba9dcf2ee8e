// What every server here does beside mounting the proxy: it says where it listens, and ends cleanly on SIGTERM.

/** @param {import('payment-proxy').OwnedProxy} proxy @param {number} port */
export function live(proxy, port) {
  const work = proxy.run();
  const end = async () => {
    await work.stop();
    await proxy.close();
    process.exit(0);
  };
  process.once('SIGTERM', () => void end());
  console.log(JSON.stringify({ event: 'the shop listens', port }));
}
