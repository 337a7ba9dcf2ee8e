// Japanese.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'No pronoun; polite (です, ます, ください), honorific where the shopper acts. Buttons end in a noun of action (コピー) or, ' +
    'where there is none, in a verb’s plain form (開く), never in ください.',
  say: {
    wallet: 'ウォレット',
    walletApp: 'ウォレットアプリ',
    walletWebsite: 'ウォレットのサイト',
    walletId: 'ウォレットID',
    payment: 'お支払い',
    paymentService: '決済サービス',
    order: 'ご注文',
    shop: 'ショップ',
    amount: '金額',
    code: 'コード',
    image: '画像',
    device: '端末',
    request: 'リクエスト',
    confirm: '承認',
    logIn: 'ログイン',
    website: 'サイト',
    connection: '接続',
    method: 'お支払い方法',
    anotherWay: '別の方法で(支払う|お支払い)',
    tryAgain: 'もう一度',
    chargedTwice: '二重に引き落とされることはありません',
    payTwice: '二重のお支払いにな',
    noMoney: '代金は引き落とされていません',
    countsIfPaid: 'そのお支払いは有効です',
  },
  never: {
    決済ページ: 'English says the wallet’s website',
    請求: 'a bill; here money leaves the wallet',
    置き換え: 'a calque of “replaced”',
    '時間切れ|時間になりました': 'said of games and of appointments; a payment has 期限',
  },
} satisfies Glossary;
