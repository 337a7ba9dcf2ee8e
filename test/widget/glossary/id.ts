// Indonesian.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'Anda, with a capital, as banks do. Requests are bare verbs, softer with Silakan or Mohon; buttons are bare verbs.',
  say: {
    wallet: 'e-wallet',
    walletApp: 'aplikasi e-wallet',
    walletWebsite: 'situs e-wallet',
    walletId: 'ID e-wallet',
    payment: 'pembayaran',
    paymentService: 'layanan pembayaran',
    order: 'pesanan',
    shop: 'toko',
    amount: 'nominal',
    code: 'kode',
    image: 'gambar',
    device: 'perangkat',
    request: 'permintaan',
    // Konfirmasi loses its k after meng-.
    confirm: 'konfirmasi|mengonfirmasi',
    logIn: 'masuk',
    website: 'situs',
    connection: 'koneksi',
    method: 'metode',
    anotherWay: 'bayar dengan cara lain',
    tryAgain: 'coba lagi',
    chargedTwice: 'Saldo Anda tidak akan terpotong dua kali',
    payTwice: 'Anda akan membayar dua kali',
    noMoney: 'saldo Anda tidak terpotong',
    countsIfPaid: 'pembayaran Anda tetap sah',
  },
  never: {
    dompet: 'banks and payment pages say e-wallet',
    'halaman pembayaran': 'English says the wallet’s website',
    jumlah: 'also a quantity; payment pages say nominal',
    'tagih|ditarik': 'said of bills and of withdrawals; wallets say that the balance was cut (terpotong)',
    diganti: 'a calque of “replaced”',
  },
} satisfies Glossary;
