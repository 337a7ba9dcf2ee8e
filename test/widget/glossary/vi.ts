// Vietnamese.
import type { Glossary } from '../glossary.ts';

export default {
  address: 'bạn, as the wallets do. Requests with Vui lòng or hãy; warnings and buttons are bare verbs.',
  say: {
    wallet: '(?<!\\p{L})ví(?!\\p{L})',
    walletApp: 'ứng dụng ví',
    walletWebsite: 'trang web của ví',
    walletId: 'ID ví',
    // giao dịch is one payment, thanh toán the act and the money that arrives.
    payment: 'giao dịch|thanh toán',
    paymentService: 'dịch vụ thanh toán',
    order: 'đơn hàng',
    shop: 'cửa hàng',
    amount: 'số tiền',
    code: '(?<!\\p{L})mã(?!\\p{L})',
    image: '(?<!\\p{L})ảnh(?!\\p{L})',
    device: 'thiết bị',
    request: 'yêu cầu',
    confirm: 'xác nhận',
    logIn: 'đăng nhập',
    website: 'trang web',
    connection: 'kết nối',
    method: 'phương thức',
    anotherWay: 'thanh toán bằng cách khác',
    tryAgain: 'thử lại',
    chargedTwice: 'Bạn sẽ không bị trừ tiền hai lần',
    payTwice: 'nếu không bạn sẽ trả tiền hai lần',
    noMoney: 'bạn không bị trừ khoản tiền nào',
    countsIfPaid: 'giao dịch vẫn được ghi nhận',
  },
  never: {
    'trang thanh toán': 'English says the wallet’s website',
    'giao dịch vẫn hợp lệ': 'said of contracts; wallets say ghi nhận',
    'bắt đầu': 'a payment is tạo, not bắt đầu',
    'hình ảnh': 'a picture in general; the file on a phone is ảnh',
  },
} satisfies Glossary;
