// Thai.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'คุณ, never ครับ or ค่ะ, which tell the speaker’s gender. Requests with กรุณา or a bare verb; buttons are bare verbs. ' +
    'Sentences end in a space, not in a full stop.',
  say: {
    wallet: 'วอลเล็ต',
    walletApp: 'แอปวอลเล็ต',
    walletWebsite: 'เว็บไซต์วอลเล็ต',
    walletId: 'หมายเลขวอลเล็ต',
    payment: 'ชำระเงิน',
    paymentService: 'บริการชำระเงิน',
    order: 'คำสั่งซื้อ',
    shop: 'ร้านค้า',
    amount: 'จำนวนเงิน',
    // โค้ด alone is the text of the code that is copied.
    code: 'โค้ด',
    image: 'รูปภาพ',
    device: 'อุปกรณ์',
    request: 'คำขอ',
    confirm: 'ยืนยัน',
    logIn: 'เข้าสู่ระบบ',
    website: 'เว็บไซต์',
    connection: 'การเชื่อมต่อ',
    method: 'วิธีชำระเงิน',
    anotherWay: 'ชำระเงินด้วยวิธีอื่น',
    tryAgain: 'ลองอีกครั้ง',
    chargedTwice: 'คุณจะไม่ถูกหักเงินซ้ำ',
    payTwice: 'มิฉะนั้นคุณจะชำระเงินสองครั้ง',
    noMoney: 'ไม่มีการหักเงิน',
    countsIfPaid: 'การชำระเงินของคุณยังมีผล',
  },
  never: {
    '(สแกน|ขอ|รับ)โค้ด(?! JetGo)': 'a discount code; the picture is a QR โค้ด',
    หน้าชำระเงิน: 'English says the wallet’s website',
    แทนที่: 'a calque of “replaced”',
    'ครับ|ค่ะ': 'tells the speaker’s gender',
  },
} satisfies Glossary;
